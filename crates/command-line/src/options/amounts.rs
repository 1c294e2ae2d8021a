//! Amounts on the command line: `512MiB`, `10m`.
//!
//! A number without a unit is in the smallest unit anyone would mean, bytes or seconds. Fractions
//! are not read: `1536MiB` says the same as `1.5GiB` and leaves no question of rounding.

use std::time::Duration;

/// Units of memory. A single letter is binary, as in `dd` and `ulimit`.
const SIZES: &[(&str, u64)] = &[
    ("", 1),
    ("b", 1),
    ("kb", 1000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
    ("t", 1 << 40),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// Units of time, in milliseconds.
const TIMES: &[(&str, u64)] = &[
    ("", 1000),
    ("ms", 1),
    ("s", 1000),
    ("m", 60_000),
    ("min", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];

/// Reads an amount of memory.
///
/// # Errors
/// A sentence for the user.
pub fn memory_size(text: &str) -> Result<usize, String> {
    let bytes = amount(text, SIZES).ok_or("expected an amount of memory like 512MiB, 2GiB or 100MB")?;
    match usize::try_from(bytes) {
        Ok(0) => Err("a search needs more than no memory".into()),
        Ok(bytes) => Ok(bytes),
        Err(_) => Err("this machine cannot address as much memory".into()),
    }
}

/// Reads a stretch of time.
///
/// # Errors
/// A sentence for the user.
pub fn duration(text: &str) -> Result<Duration, String> {
    let milliseconds = amount(text, TIMES).ok_or("expected a time like 10m, 30s or 500ms")?;
    Ok(Duration::from_millis(milliseconds))
}

fn amount(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start();
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_and_decimal_units() {
        for (text, bytes) in [
            ("512MiB", 512 << 20),
            ("2GiB", 2 << 30),
            ("100MB", 100_000_000),
            ("4096", 4096),
            ("3 k", 3072),
            ("1G", 1 << 30),
        ] {
            assert_eq!(memory_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn times_have_units_and_default_to_seconds() {
        for (text, milliseconds) in
            [("10m", 600_000), ("30s", 30_000), ("500ms", 500), ("1h", 3_600_000), ("7", 7000), ("0s", 0)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_with_an_example() {
        for text in [
            "",
            "MiB",
            "12 apples",
            "-3s",
            "1.5GiB",
            "99999999999999999999",
            "99999999999999TiB",
            "½",
            "0x10",
        ] {
            assert!(memory_size(text).is_err(), "{text}");
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(memory_size("lots").unwrap_err().contains("512MiB"));
        assert!(memory_size("0").is_err());
    }
}
