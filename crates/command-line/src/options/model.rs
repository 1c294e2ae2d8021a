//! Options about the model.

use clap::Args;
use languages::Format;

use super::choice::choice;

/// How a model file is read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelOptions {
    /// Set a global constant of the model; may be repeated
    ///
    /// The value replaces the one in the file.
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE", value_parser = constant)]
    pub constants: Vec<(String, i64)>,
    /// Language of the model [default: by the file name extension; dve for stdin]
    #[arg(long, value_name = "LANGUAGE", value_parser = choice::<&'static Format>())]
    pub language: Option<&'static Format>,
}

/// Parses `NAME=VALUE` with an integer value.
fn constant(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, like PACKETS=6")?;
    if name.trim().is_empty() {
        return Err("expected the name of a constant before the `=`".into());
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
        for text in ["", "N", "=5", "N=", "N=five", "N=99999999999999999999", "N=1=2"] {
            assert!(constant(text).is_err(), "{text}");
        }
    }
}
