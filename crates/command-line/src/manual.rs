//! Reference texts about the command line: man pages, shell completions, and the list of all
//! options in the guide.
//!
//! All three are generated from the declarations of the commands and options, so they cannot be out
//! of date.

use clap::CommandFactory;
use clap_complete::Shell;
use report::Exit;

use crate::command_line::Arguments;
use crate::output::console::Console;
use crate::output::failure::Failure;
use crate::output::output_file::result_lost;

/// Prints a completion script.
///
/// # Errors
/// Stdout cannot be written.
pub fn print_completions(shell: Shell, console: Console) -> Result<Exit, Failure> {
    print("the script", &completions(shell), console)
}

/// Prints the man page of a command, or of the whole program.
///
/// # Errors
/// Stdout cannot be written.
pub fn print_man_page(command: Option<&str>, console: Console) -> Result<Exit, Failure> {
    print("the man page", &man_page(command).unwrap_or_default(), console)
}

fn print(what: &str, text: &[u8], console: Console) -> Result<Exit, Failure> {
    let printed = console.print(&String::from_utf8_lossy(text));
    printed.map_err(|error| {
        let findings = vec![result_lost(what, &error)];
        Failure { exit: Exit::Unknown, findings }
    })?;
    Ok(Exit::Holds)
}

/// A completion script.
fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "sweepline", &mut script);
    script
}

/// The man page of a command, or of the whole program; `None` if there is no such command.
fn man_page(command: Option<&str>) -> Option<Vec<u8>> {
    let mut all = Arguments::command();
    // Propagates global options to the commands.
    all.build();
    let page = match command {
        None => all,
        Some(name) => {
            let found = all.find_subcommand(name).filter(|command| !command.is_hide_set())?;
            let (title, called) =
                (format!("sweepline-{}", found.get_name()), format!("sweepline {}", found.get_name()));
            found.clone().bin_name(called).display_name(title).version(env!("CARGO_PKG_VERSION"))
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).ok()?;
    Some(text)
}

/// Parses the name of a command that has a man page.
///
/// # Errors
/// There is no such command.
pub fn command_name(text: &str) -> Result<String, String> {
    let commands = commands();
    if commands.iter().any(|name| name == text) {
        return Ok(text.into());
    }
    Err(format!("there is no such command; there are {}", commands.join(", ")))
}

/// The names of the commands that have a man page.
fn commands() -> Vec<String> {
    let all = Arguments::command();
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set());
    shown.map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::path::Path;

    use clap::{Arg, Command};

    use super::*;

    /// Text with the characters escaped that would end a cell of a table.
    fn cell(text: &str) -> String {
        text.replace('|', "\\|").replace('\n', " ")
    }

    fn spelled(argument: &Arg) -> String {
        let values: Vec<String> =
            argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
        let takes_value = argument.get_action().takes_values();
        let value = if takes_value { format!(" {}", values.join(" ")) } else { String::new() };
        let names = [
            argument.get_short().map(|short| format!("-{short}")),
            argument.get_long().map(|long| format!("--{long}")),
        ];
        match names.into_iter().flatten().collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => values.join(" "),
            names => names + &value,
        }
    }

    fn explained(argument: &Arg) -> String {
        let mut text = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let shown = argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set());
        let values: Vec<String> = shown
            .map(|value| match value.get_help() {
                Some(help) => format!("`{}`: {help}", value.get_name()),
                None => format!("`{}`", value.get_name()),
            })
            .collect();
        if argument.get_action().takes_values() && !values.is_empty() {
            let _ = write!(text, ". {}", values.join("; "));
        }
        let defaults: Vec<String> =
            argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        if argument.get_action().takes_values() && !defaults.is_empty() {
            let _ = write!(text, " [default: {}]", defaults.join(", "));
        }
        text
    }

    fn table(text: &mut String, heading: &str, arguments: &[&Arg]) {
        let _ = writeln!(text, "\n{heading}\n\n| option | |\n|---|---|");
        for argument in arguments {
            let _ = writeln!(text, "| `{}` | {} |", cell(&spelled(argument)), cell(&explained(argument)));
        }
    }

    fn section(text: &mut String, command: &Command) {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "\n## `{}`\n\n{about}.", command.get_name());
        let shown: Vec<&Arg> = command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set() && !argument.is_global_set())
            .collect();
        let mut headings: Vec<&str> = Vec::new();
        for argument in &shown {
            let heading = argument.get_help_heading().unwrap_or("Arguments and options");
            if !headings.contains(&heading) {
                headings.push(heading);
            }
        }
        for heading in headings {
            let under: Vec<&Arg> = shown
                .iter()
                .copied()
                .filter(|argument| argument.get_help_heading().unwrap_or("Arguments and options") == heading)
                .collect();
            table(text, &format!("**{heading}**"), &under);
        }
    }

    /// The page of the guide.
    fn all_options() -> String {
        let all = Arguments::command();
        let mut text = String::from(
            "# All options\n\nThis page is generated from the program. `sweepline COMMAND --help` has the same text and more details; `sweepline man COMMAND` is a man page.\n",
        );
        let global: Vec<&Arg> = all.get_arguments().filter(|argument| argument.is_global_set()).collect();
        table(&mut text, "Every command takes:", &global);
        for command in all.get_subcommands().filter(|command| !command.is_hide_set()) {
            section(&mut text, command);
        }
        text
    }

    /// `SWEEPLINE_UPDATE=1` writes the page.
    #[test]
    fn the_list_of_options_in_the_guide_is_that_of_the_program() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/options.md");
        if std::env::var_os("SWEEPLINE_UPDATE").is_some() {
            std::fs::write(&file, all_options()).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written == all_options(),
            "update it by SWEEPLINE_UPDATE=1 cargo test -p sweepline-command-line options_in_the_guide"
        );
    }

    #[test]
    fn every_command_has_a_man_page() {
        for name in commands() {
            let page = String::from_utf8(man_page(Some(&name)).unwrap()).unwrap();
            assert!(page.contains(".SH OPTIONS") && page.contains(&name), "{page}");
        }
        let whole = String::from_utf8(man_page(None).unwrap()).unwrap();
        assert!(whole.contains("sweepline") && whole.contains("Exit codes"), "{whole}");
        assert!(man_page(Some("dance")).is_none());
    }
}
