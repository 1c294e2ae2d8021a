//! Numbers as people read them: grouped digits, bytes in binary units, seconds in the unit that fits.
//!
//! Programs read the run record, where numbers stay numbers.

use std::fmt;

/// A count with its digits in groups of three.
///
/// ```
/// assert_eq!(report::Count(11845035).to_string(), "11,845,035");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Count(pub u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        f.pad(&grouped)
    }
}

/// A number of steps.
///
/// ```
/// assert_eq!(report::Steps(1).to_string(), "1 step");
/// assert_eq!(report::Steps(1200).to_string(), "1,200 steps");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Steps(pub usize);

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Count(self.0 as u64), if self.0 == 1 { "step" } else { "steps" })
    }
}

/// A number of states.
///
/// ```
/// assert_eq!(report::States(1).to_string(), "1 state");
/// assert_eq!(report::States(1200).to_string(), "1,200 states");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct States(pub u64);

impl fmt::Display for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Count(self.0), if self.0 == 1 { "state" } else { "states" })
    }
}

/// An amount of memory or disk.
///
/// ```
/// assert_eq!(report::Bytes(3 << 19).to_string(), "1.5 MiB");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match units.into_iter().find(|(_, shift)| self.0 >> shift > 0) {
            Some((unit, shift)) => f.pad(&format!("{:.1} {unit}", self.0 as f64 / (1u64 << shift) as f64)),
            None => f.pad(&format!("{} bytes", self.0)),
        }
    }
}

/// A stretch of time.
///
/// ```
/// assert_eq!(report::Seconds(0.0417).to_string(), "0.042 s");
/// assert_eq!(report::Seconds(754.2).to_string(), "12 min 34 s");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0;
        let whole = seconds.round() as u64;
        let text = if seconds < 1.0 {
            format!("{seconds:.3} s")
        } else if seconds < 100.0 {
            format!("{seconds:.2} s")
        } else if whole < 3600 {
            format!("{} min {} s", whole / 60, whole % 60)
        } else {
            format!("{} h {} min", whole / 3600, whole % 3600 / 60)
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        let shown: Vec<String> =
            [0, 999, 1000, 123456, 1234567].map(|count| Count(count).to_string()).into_iter().collect();
        assert_eq!(shown, ["0", "999", "1,000", "123,456", "1,234,567"]);
        assert_eq!(format!("{:>9}", Count(1000)), "    1,000");
    }

    #[test]
    fn bytes_take_the_largest_unit_that_is_not_a_fraction() {
        let shown: Vec<String> =
            [0, 1023, 1024, 1 << 20, 5 << 30].map(|bytes| Bytes(bytes).to_string()).into_iter().collect();
        assert_eq!(shown, ["0 bytes", "1023 bytes", "1.0 KiB", "1.0 MiB", "5.0 GiB"]);
    }

    #[test]
    fn long_times_are_not_in_seconds() {
        assert_eq!(Seconds(5.0).to_string(), "5.00 s");
        assert_eq!(Seconds(7260.0).to_string(), "2 h 1 min");
    }
}
