//! A trace as text.
//!
//! The default view shows the changes of each step, because a reader of a trace looks for the step
//! that should not have been enabled, and for the values that enabled it. Other views show the full
//! state after each step, or only the actions.

use std::fmt;

use crate::quantities::Steps;
use crate::run_record::{ChangeRecord, TraceRecord, ValueRecord};

/// Column before which lists are wrapped.
const WIDTH: usize = 100;
/// Indentation of the lines below a step.
const INDENT: usize = 9;
/// Number of steps shown at the beginning of a long trace.
const HEAD: usize = 20;
/// Number of steps shown at the end of a long trace, where the reason for the verdict is.
const TAIL: usize = 100;

/// View of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceView {
    /// Actions and their changes.
    #[default]
    Diff,
    /// Actions, and the whole state after each one.
    Full,
    /// Actions only.
    Actions,
    /// Nothing.
    None,
}

/// Amount of a long trace that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// All steps.
    All,
    /// The first and the last steps.
    #[default]
    Ends,
}

/// The text of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceText<'a> {
    /// The trace.
    pub trace: &'a TraceRecord,
    /// The view.
    pub view: TraceView,
    /// The amount that is shown.
    pub length: Length,
}

impl fmt::Display for TraceText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view {
            TraceView::None => return Ok(()),
            TraceView::Actions => {}
            TraceView::Diff => {
                writeln!(f, "{:>5}  initial state\n{}", 0, compact_state(&self.trace.initial))?
            }
            TraceView::Full => write!(f, "{:>5}  initial state\n{}", 0, state_text(&self.trace.initial))?,
        }
        let hidden = self.hidden();
        // Only the full view needs the state, which the changes update.
        let mut state = if self.view == TraceView::Full { self.trace.initial.clone() } else { Vec::new() };
        for (number, step) in self.trace.steps.iter().enumerate() {
            apply(&step.changes, &mut state);
            if number == hidden.start && !hidden.is_empty() {
                writeln!(f, "  ...  {}", Steps(hidden.len()))?;
            }
            if self.view != TraceView::None && self.trace.loop_start == Some(number) {
                writeln!(f, "       -- loop starts here")?;
            }
            if hidden.contains(&number) {
                continue;
            }
            writeln!(f, "{:>5}  {}", number + 1, step.action)?;
            match self.view {
                TraceView::Diff => f.write_str(&changes_text(&step.action, &step.changes))?,
                TraceView::Full => f.write_str(&state_text(&state))?,
                TraceView::Actions | TraceView::None => {}
            }
        }
        match self.trace.loop_start {
            Some(start) if start == self.trace.steps.len() => {
                writeln!(f, "       -- loop: the last state repeats forever")
            }
            Some(start) => writeln!(f, "       -- loop: back to step {}", start + 1),
            None => Ok(()),
        }
    }
}

impl TraceText<'_> {
    fn hidden(&self) -> std::ops::Range<usize> {
        let steps = self.trace.steps.len();
        if self.length == Length::Ends && steps > HEAD + TAIL { HEAD..steps - TAIL } else { 0..0 }
    }
}

/// The changes of a step as indented lines, without those in its name: `P: away -> test` names the
/// new location of `P`.
pub fn changes_text(action: &str, changes: &[ChangeRecord]) -> String {
    list_text(changes.iter().map(change_text).filter(|change| !action.contains(change.as_str())))
}

/// A state as indented lines.
pub fn state_text(state: &[ValueRecord]) -> String {
    list_text(state.iter().map(value_text))
}

/// A state without its variables that are zero, which are many in most models.
pub(crate) fn compact_state(state: &[ValueRecord]) -> String {
    let mut items: Vec<String> = state.iter().filter(|value| value.value != "0").map(value_text).collect();
    if items.len() < state.len() {
        items.push(if items.is_empty() { "everything is 0".into() } else { "everything else is 0".into() });
    }
    let text = list_text(items.into_iter());
    text.trim_end_matches('\n').into()
}

fn change_text(change: &ChangeRecord) -> String {
    format!("{}: {} -> {}", change.variable, change.from, change.to)
}

fn value_text(value: &ValueRecord) -> String {
    format!("{} = {}", value.variable, value.value)
}

/// Items separated by commas, wrapped into indented lines.
fn list_text(items: impl Iterator<Item = String>) -> String {
    let mut items = items.peekable();
    let mut text = String::new();
    let mut column = WIDTH;
    while let Some(item) = items.next() {
        let separator = if items.peek().is_some() { "," } else { "" };
        let width = item.chars().count() + separator.len();
        if column + 1 + width > WIDTH {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&" ".repeat(INDENT));
            column = INDENT;
        } else {
            text.push(' ');
            column += 1;
        }
        text.push_str(&item);
        text.push_str(separator);
        column += width;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn apply(changes: &[ChangeRecord], state: &mut [ValueRecord]) {
    for change in changes {
        if let Some(value) = state.iter_mut().find(|value| value.variable == change.variable) {
            value.value.clone_from(&change.to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_record::StepRecord;
    use crate::run_record::TraceKind;

    fn trace(steps: u32) -> TraceRecord {
        let value =
            |variable: &str, value: &str| ValueRecord { variable: variable.into(), value: value.into() };
        let change =
            |variable: &str, from: String, to: String| ChangeRecord { variable: variable.into(), from, to };
        let step = |number: u32| StepRecord {
            action: "P: s -> t".into(),
            changes: vec![
                change("x", number.to_string(), (number + 1).to_string()),
                change("P", "s".into(), "t".into()),
            ],
            number: 0,
            participants: Vec::new(),
            channel: None,
        };
        TraceRecord {
            kind: TraceKind::Finite,
            loop_start: None,
            replayed: true,
            steps: (0..steps).map(step).collect(),
            initial: vec![value("x", "0"), value("P", "s"), value("y", "0")],
            length: None,
            component: None,
        }
    }

    fn show(trace: &TraceRecord, view: TraceView, length: Length) -> String {
        TraceText { trace, view, length }.to_string()
    }

    #[test]
    fn a_diff_shows_what_the_action_does_not_say() {
        let text = show(&trace(1), TraceView::Diff, Length::All);
        let expected = "    0  initial state
         P = s, everything else is 0
    1  P: s -> t
         x: 0 -> 1
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_full_trace_shows_whole_states() {
        let text = show(&trace(2), TraceView::Full, Length::All);
        assert!(text.contains("    0  initial state\n         x = 0, P = s, y = 0\n"), "{text}");
        assert!(text.ends_with("    2  P: s -> t\n         x = 2, P = t, y = 0\n"), "{text}");
    }

    #[test]
    fn actions_are_one_line_each_and_none_is_none() {
        assert_eq!(show(&trace(2), TraceView::Actions, Length::All), "    1  P: s -> t\n    2  P: s -> t\n");
        assert_eq!(show(&trace(2), TraceView::None, Length::All), "");
    }

    #[test]
    fn of_a_long_trace_the_middle_is_left_out_and_counted() {
        let text = show(&trace(1500), TraceView::Actions, Length::Ends);
        assert_eq!(text.lines().count(), HEAD + 1 + TAIL);
        assert!(text.contains("   20  P: s -> t\n  ...  1,380 steps\n 1401  P: s -> t\n"), "{text}");
        assert_eq!(show(&trace(1500), TraceView::Actions, Length::All).lines().count(), 1500);
    }

    #[test]
    fn long_lists_are_broken_into_lines() {
        let values: Vec<ValueRecord> =
            (0..40).map(|i| ValueRecord { variable: format!("variable[{i}]"), value: "7".into() }).collect();
        let text = state_text(&values);
        assert!(text.lines().all(|line| line.len() <= WIDTH && line.starts_with("         v")), "{text}");
        assert_eq!(text.matches("= 7").count(), 40);
    }
}
