//! A trace in a file, to be shown or replayed later.
//!
//! A replay needs the numbers of the actions. Their names and changes show whether the model is
//! still the one of the trace. A file is untrusted input: it may be truncated, edited, or of
//! another format, and each of these is an error with a message, never a panic.

use std::collections::BTreeMap;

use engine::verdict::replay::{ReplayError, ReplayedTrace, replay};
use engine::verdict::trace::Trace;
use model::guarded_commands::{ActionId, GuardedCommands};
use model::interpreter::Interpreter;
use serde::{Deserialize, Serialize};

use crate::run_record::{ChangeRecord, ComponentRecord, StepRecord, TraceRecord};

/// A saved trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceFile {
    /// Name and version of the format, [`TraceFile::FORMAT`].
    pub format: String,
    /// File of the model, as named when the trace was saved.
    pub model: String,
    /// Name of the property, if a check saved the trace.
    pub property: Option<String>,
    /// The actions, for a replay.
    pub actions: Vec<SavedAction>,
    /// The steps, for readers.
    pub steps: Vec<StepRecord>,
    /// Constants of the model that were set on the command line. Older files have none.
    #[serde(default)]
    pub constants: BTreeMap<String, i64>,
    /// The terminal component that the trace leads into, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<ComponentRecord>,
    /// For a lasso, the number of steps before the loop; the others repeat forever or, if there are
    /// none, the last state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_start: Option<usize>,
}

/// An action of a saved trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedAction {
    /// Number in the model.
    pub action: u32,
    /// Name, to detect a change of the model.
    pub name: String,
}

/// Why a file is not a trace, or not one of this model.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// The text does not have the structure of a trace.
    #[error("this is not a trace: {0}")]
    Structure(#[from] serde_json::Error),
    /// The text has another format.
    #[error("this is a `{0}` file, not a `{expected}` file", expected = TraceFile::FORMAT)]
    Format(String),
    /// The numbers of actions and steps differ.
    #[error("the trace has {actions} actions and {steps} steps")]
    Length {
        /// Number of actions.
        actions: usize,
        /// Number of steps.
        steps: usize,
    },
    /// The actions are not a run of the model.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The action with this number has another name now.
    #[error("step {step}: the action was `{then}`, and is `{now}` in the model as it is now")]
    OtherAction {
        /// Number of the step, from one.
        step: usize,
        /// The name in the file.
        then: String,
        /// The name in the model.
        now: String,
    },
    /// The run does not return to the start of its loop.
    #[error("the loop of the trace does not close")]
    Loop,
    /// The action has other effects now.
    #[error("step {step}: `{action}` does not change what it changed when the trace was made")]
    OtherChanges {
        /// Number of the step, from one.
        step: usize,
        /// The action's name.
        action: String,
    },
}

impl TraceFile {
    /// Name and version of the format.
    pub const FORMAT: &str = "sweepline-trace/1";

    /// Creates a saved trace.
    pub fn new(model: impl Into<String>, property: Option<String>, trace: &TraceRecord) -> Self {
        let saved = |step: &StepRecord| SavedAction { action: step.number, name: step.action.clone() };
        Self {
            format: Self::FORMAT.into(),
            model: model.into(),
            property,
            actions: trace.steps.iter().map(saved).collect(),
            steps: trace.steps.clone(),
            constants: BTreeMap::new(),
            component: trace.component.clone(),
            loop_start: trace.loop_start,
        }
    }

    /// The same trace for a model with these constants.
    pub fn with_constants(self, constants: &[(String, i64)]) -> Self {
        Self { constants: constants.iter().cloned().collect(), ..self }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// The text is not a trace.
    pub fn read(text: &str) -> Result<Self, TraceFileError> {
        // A file of another format gets a better message than "missing field".
        #[derive(Deserialize)]
        struct Header {
            format: String,
        }
        let Header { format } = serde_json::from_str(text)?;
        if format != Self::FORMAT {
            return Err(TraceFileError::Format(format));
        }
        let file: Self = serde_json::from_str(text)?;
        file.has_a_step_for_each_action()?;
        Ok(file)
    }

    fn has_a_step_for_each_action(&self) -> Result<(), TraceFileError> {
        let (actions, steps) = (self.actions.len(), self.steps.len());
        if actions == steps { Ok(()) } else { Err(TraceFileError::Length { actions, steps }) }
    }

    /// Replays the actions on the model.
    ///
    /// # Errors
    /// The actions are not a run of this model, or not the same run.
    pub fn replay(&self, commands: &GuardedCommands) -> Result<ReplayedTrace, TraceFileError> {
        // The fields are public: a trace may come from elsewhere than `read`.
        self.has_a_step_for_each_action()?;
        for (number, saved) in self.actions.iter().enumerate() {
            // The replay reports an action number outside of the model.
            if (saved.action as usize) < commands.actions.len() {
                let now = commands.action_name(ActionId(saved.action));
                if now != saved.name {
                    let then = saved.name.clone();
                    return Err(TraceFileError::OtherAction { step: number + 1, then, now });
                }
            }
        }
        let interpreter = Interpreter::new(commands);
        let replayed = replay(&interpreter, self.actions.iter().map(|saved| ActionId(saved.action)))?;
        for (number, step) in self.steps.iter().enumerate() {
            if ChangeRecord::all(commands, &replayed.trace().changes(number)) != step.changes {
                let action = step.action.clone();
                return Err(TraceFileError::OtherChanges { step: number + 1, action });
            }
        }
        if self.loop_start.is_some_and(|start| !closes(replayed.trace(), start)) {
            return Err(TraceFileError::Loop);
        }
        Ok(replayed)
    }
}

/// Whether the run ends in the state that it had after this number of steps.
fn closes(trace: &Trace, start: usize) -> bool {
    let state = match start.checked_sub(1) {
        None => Some(trace.initial.as_slice()),
        Some(step) => trace.steps.get(step).map(|step| step.state.as_slice()),
    };
    state == Some(trace.last_state())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COUNTER: &str = "byte x; process P { state s, t; init s; trans s -> t { effect x = x + 1; }, \
         t -> s { guard x < 3; }; } system async;";

    fn saved() -> (GuardedCommands, TraceFile) {
        let commands = languages::read_model(COUNTER).unwrap().commands;
        let interpreter = Interpreter::new(&commands);
        let actions = [0, 1, 0].map(ActionId);
        let replayed = replay(&interpreter, actions).unwrap();
        let record = TraceRecord::new(&commands, replayed.trace());
        (commands, TraceFile::new("counter.dve", None, &record))
    }

    #[test]
    fn a_trace_comes_back_and_replays() {
        let (commands, file) = saved();
        let back = TraceFile::read(&serde_json::to_string(&file).unwrap()).unwrap();
        assert_eq!(back, file);
        assert_eq!(back.replay(&commands).unwrap().trace().steps.len(), 3);
    }

    #[test]
    fn a_loop_is_kept_and_must_close() {
        let commands =
            languages::read_model("byte x; process P { state s; init s; trans s -> s {}; } system async;");
        let commands = commands.unwrap().commands;
        let replayed = replay(&Interpreter::new(&commands), [ActionId(0)]).unwrap();
        let lasso = TraceRecord { loop_start: Some(0), ..TraceRecord::new(&commands, replayed.trace()) };
        let text = serde_json::to_string(&TraceFile::new("m.dve", None, &lasso)).unwrap();
        let back = TraceFile::read(&text).unwrap();
        assert_eq!(back.loop_start, Some(0));
        assert!(back.replay(&commands).is_ok());
        let (commands, file) = saved();
        let open = TraceFile { loop_start: Some(1), ..file.clone() };
        assert!(matches!(open.replay(&commands), Err(TraceFileError::Loop)));
        let outside = TraceFile { loop_start: Some(9), ..file };
        assert!(outside.replay(&commands).is_err());
    }

    #[test]
    fn constants_are_kept_and_may_be_missing() {
        let (_, file) = saved();
        let file = file.with_constants(&[("N".into(), 3), ("N".into(), -4)]);
        let text = serde_json::to_string(&file).unwrap();
        assert_eq!(TraceFile::read(&text).unwrap().constants, BTreeMap::from([("N".into(), -4)]));
        let older = text.replace(r#","constants":{"N":-4}"#, "");
        assert_ne!(older, text);
        assert!(TraceFile::read(&older).unwrap().constants.is_empty());
    }

    #[test]
    fn a_changed_model_is_noticed() {
        let (_, file) = saved();
        let replay_on = |text: &str| file.replay(&languages::read_model(text).unwrap().commands).unwrap_err();
        let renamed =
            replay_on(&COUNTER.replace("s, t;", "s, u;").replace("-> t", "-> u").replace("t -> s", "u -> s"));
        assert!(renamed.to_string().contains("was `P: s -> t`, and is `P: s -> u`"), "{renamed}");
        let stronger = replay_on(&COUNTER.replace("x < 3", "x < 1"));
        assert!(stronger.to_string().contains("`P: t -> s` is not enabled"), "{stronger}");
        let faster = replay_on(&COUNTER.replace("x + 1", "x + 2"));
        assert!(matches!(faster, TraceFileError::OtherChanges { step: 1, .. }), "{faster}");
        let shorter = replay_on("process P { state s, t; init s; trans s -> t {}; } system async;");
        assert!(shorter.to_string().contains("there is no action 1"), "{shorter}");
    }

    #[test]
    fn other_files_are_told_apart() {
        let error = |text: &str| TraceFile::read(text).unwrap_err().to_string();
        assert!(error("").starts_with("this is not a trace"));
        assert!(error(r#"{"format": "sweepline-run/1"}"#).contains("is a `sweepline-run/1` file"));
        assert!(error(r#"{"format": "sweepline-trace/1"}"#).contains("missing field"));
    }

    proptest! {
        #[test]
        fn a_damaged_file_is_an_error_not_a_crash(cut in 0usize..900, byte: u8, insert: bool) {
            let (commands, file) = saved();
            let mut text = serde_json::to_vec(&file).unwrap();
            let at = cut.min(text.len());
            if insert { text.insert(at, byte) } else { text.truncate(at) }
            if let Ok(file) = TraceFile::read(&String::from_utf8_lossy(&text)) {
                let _ = file.replay(&commands);
            }
        }

        #[test]
        fn any_action_numbers_replay_or_are_an_error(numbers in prop::collection::vec(any::<u32>(), 0..6)) {
            let (commands, mut file) = saved();
            for (saved, number) in file.actions.iter_mut().zip(numbers) {
                saved.action = number % 3;
            }
            let _ = file.replay(&commands);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let text = String::from_utf8_lossy(&bytes);
            prop_assert!(TraceFile::read(&text).is_err());
            let behind_the_format = format!("{{\"format\":\"{}\",{text}", TraceFile::FORMAT);
            prop_assert!(TraceFile::read(&behind_the_format).is_err());
        }

        #[test]
        fn damaged_files_never_panic(
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
            cut: prop::sample::Index, rest in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let (commands, file) = saved();
            let mut bytes = serde_json::to_vec(&file).unwrap();
            for (at, byte) in flips {
                let at = at.index(bytes.len());
                bytes[at] ^= byte;
            }
            let cut = cut.index(bytes.len());
            for damaged in [bytes.clone(), [&bytes[..cut], &rest].concat(), [&bytes[..], &rest].concat()] {
                if let Ok(file) = TraceFile::read(&String::from_utf8_lossy(&damaged)) {
                    let _ = file.replay(&commands);
                }
            }
        }

        /// Texts with the structure of a trace, with any numbers in them.
        #[test]
        fn arbitrary_numbers_never_panic(
            actions in prop::collection::vec(prop_oneof![0..3u32, any::<u32>()], 0..5),
            steps in 0..5usize, loop_start in any::<Option<usize>>(), near in prop::option::of(0..6usize),
        ) {
            let (commands, mut file) = saved();
            let saved = |&action: &u32| SavedAction {
                action,
                name: file.actions[action as usize % 2].name.clone(),
            };
            file.actions = actions.iter().map(saved).collect();
            file.steps = file.steps.iter().cycle().take(steps).cloned().collect();
            file.loop_start = near.or(loop_start);
            let read = TraceFile::read(&serde_json::to_string(&file).unwrap());
            prop_assert_eq!(read.is_ok(), actions.len() == steps);
            let _ = file.replay(&commands);
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        for open in ["[", "{\"format\":", "{\"a\":"] {
            assert!(TraceFile::read(&open.repeat(100_000)).is_err());
        }
    }
}
