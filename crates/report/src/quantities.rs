//! Numbers for people: grouped digits, bytes in binary units, times in suitable units.
//!
//! Programs read the run record, which has plain numbers.

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

/// An estimate with three significant digits.
///
/// ```
/// assert_eq!(report::About(12_345).to_string(), "about 12,300");
/// assert_eq!(report::About(1_234_567).to_string(), "about 1.23 million");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct About(pub u64);

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0 as f64;
        let large = [(1e12, "trillion"), (1e9, "billion"), (1e6, "million")];
        // A number that rounds up to a million is shown as a million.
        if let Some((unit, name)) = large.into_iter().find(|(unit, _)| number >= unit * 0.9995) {
            let share = number / unit;
            let places = if share < 9.995 { 2 } else { usize::from(share < 99.95) };
            return write!(f, "about {share:.places$} {name}");
        }
        let unit = 10_u64.pow(self.0.checked_ilog10().unwrap_or(0).saturating_sub(2));
        write!(f, "about {}", Count((self.0 + unit / 2) / unit * unit))
    }
}

/// A share in percent with two significant digits.
///
/// ```
/// assert_eq!(report::Percent(0.0563).to_string(), "5.6 %");
/// assert_eq!(report::Percent(0.25).to_string(), "25 %");
/// assert_eq!(report::Percent(0.0).to_string(), "0 %");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Percent(pub f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.0;
        let text = match percent {
            0.0 => "0 %".into(),
            // Only zero is shown as zero.
            0.0..0.005 => "<0.01 %".into(),
            0.0..0.1 => format!("{percent:.2} %"),
            0.0..9.95 => format!("{percent:.1} %"),
            _ => format!("{percent:.0} %"),
        };
        f.pad(&text)
    }
}

/// An amount of memory or disk space.
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

/// A duration.
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
    fn estimates_have_three_digits() {
        let shown: Vec<String> = [0, 7, 999, 1_005, 99_949, 999_400, 999_600, 12_340_000, 3_000_000_000]
            .map(|number| About(number).to_string())
            .into_iter()
            .collect();
        let expected =
            ["0", "7", "999", "1,010", "99,900", "999,000", "1.00 million", "12.3 million", "3.00 billion"];
        assert_eq!(shown, expected.map(|text| format!("about {text}")));
    }

    #[test]
    fn shares_have_two_digits() {
        let shown: Vec<String> = [0.00001, 0.0004, 0.012, 0.0994, 0.0996, 1.0]
            .map(|share| Percent(share).to_string())
            .into_iter()
            .collect();
        assert_eq!(shown, ["<0.01 %", "0.04 %", "1.2 %", "9.9 %", "10 %", "100 %"]);
    }

    #[test]
    fn long_times_are_not_in_seconds() {
        assert_eq!(Seconds(5.0).to_string(), "5.00 s");
        assert_eq!(Seconds(7260.0).to_string(), "2 h 1 min");
    }
}
