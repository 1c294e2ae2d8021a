//! Options about the model.

use clap::Args;
use languages::Format;

use super::choice::choice;

/// How a model file is read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelOptions {
    /// Set a global constant or a macro of the model; may be repeated
    ///
    /// The value of a constant replaces the one in the file. A macro (Promela) is defined before the
    /// file is read; `NAME` alone defines it as 1.
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE", value_parser = constant)]
    pub constants: Vec<(String, i64)>,
    /// Language of the model [default: by the file name extension; dve for stdin]
    #[arg(long, value_name = "LANGUAGE", value_parser = choice::<&'static Format>())]
    pub language: Option<&'static Format>,
}

/// Parses `NAME=VALUE` with an integer value, or `NAME`, which stands for `NAME=1`.
fn constant(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    if name.trim().is_empty() {
        return Err("expected NAME=VALUE, like PACKETS=6".into());
    }
    let value = value.trim().parse().map_err(|_| format!("expected a number after `{name}=`"))?;
    Ok((name.trim().into(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_names_with_numbers() {
        assert_eq!(constant("N=5"), Ok(("N".into(), 5)));
        assert_eq!(constant("N = -7"), Ok(("N".into(), -7)));
        assert_eq!(constant("DEBUG"), Ok(("DEBUG".into(), 1)));
        for text in ["", "=5", "N=", "N=five", "N=99999999999999999999", "N=1=2"] {
            assert!(constant(text).is_err(), "{text}");
        }
    }
}
