//! A model file: read once, checked as often as one likes.

use std::path::Path;

use engine::check::{CheckError, Outgrown};
use languages::{Format, Model, ReadOptions, read_model_with};

use crate::execution::Execution;
use crate::planning::{MeasureRequest, PlannedSearch};
use crate::{Error, Outcome, Plan, Questions};

/// A model that was read from a file.
///
/// ```
/// use sweepline::{ModelFile, Plan, Questions};
///
/// let window = ModelFile::read_with("../../models/dve/sliding_window.dve", &[("PACKETS", 5)])?;
/// let outcome = window.check(&Questions::new().invariant("not Receiver.failed"), &Plan::new())?;
/// assert!(outcome.holds());
/// assert_eq!(outcome.states(), Some(4_123));
/// # Ok::<(), sweepline::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelFile {
    path: String,
    text: String,
    options: ReadOptions,
    model: Model,
}

impl ModelFile {
    /// Reads a model file. Its language follows from its ending; a file with an unknown ending is DVE.
    ///
    /// # Errors
    /// The file cannot be read, or its text has errors.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read_with(path, &[])
    }

    /// Reads a model file, with other values for some of its constants.
    ///
    /// # Errors
    /// As [`read`](Self::read), or there is no such constant.
    pub fn read_with(path: impl AsRef<Path>, constants: &[(&str, i64)]) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|source| Error::Unreadable { path: path.to_owned(), source })?;
        let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let format = Format::by_ending(path).unwrap_or_default();
        let folder = path.parent().map(Path::to_owned);
        let path = path.display().to_string();
        let options = ReadOptions { format, constants, folder, ..ReadOptions::default() };
        match read_model_with(&text, &options) {
            Ok(model) => Ok(Self { path, text, options, model }),
            Err(found) => Err(Error::in_text(found, &path, &text)),
        }
    }

    /// Decides the questions.
    ///
    /// # Errors
    /// A question or the plan has an error, the search cannot decide a question soundly, or the run
    /// could not be made. A search that was cut short is no error: its verdicts are unknown.
    pub fn check(&self, questions: &Questions, plan: &Plan) -> Result<Outcome, Error> {
        self.search(questions, plan, false)
    }

    /// Visits all reachable states, whatever they are.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn explore(&self, plan: &Plan) -> Result<Outcome, Error> {
        self.search(&Questions::new(), plan, true)
    }

    /// Searches, with a larger model as often as the model turns out to have no room for a step.
    fn search(&self, questions: &Questions, plan: &Plan, explores: bool) -> Result<Outcome, Error> {
        let mut larger = None;
        loop {
            let file: &Self = larger.as_ref().unwrap_or(self);
            match file.search_once(questions, plan, explores)? {
                Ok(outcome) => return Ok(outcome),
                Err(outgrown) => larger = Some(file.larger(&outgrown)?),
            }
        }
    }

    fn larger(&self, outgrown: &Outgrown) -> Result<Self, Error> {
        let options = self.model.options_for(outgrown.action, &outgrown.state, &self.options);
        let options = options.ok_or_else(|| Error::from(CheckError::Outgrown(outgrown.clone())))?;
        let model = read_model_with(&self.text, &options);
        let model = model.map_err(|found| Error::in_text(found, &self.path, &self.text))?;
        Ok(Self { path: self.path.clone(), text: self.text.clone(), options, model })
    }

    fn search_once(
        &self,
        questions: &Questions,
        plan: &Plan,
        explores: bool,
    ) -> Result<Result<Outcome, Outgrown>, Error> {
        let properties = questions.properties(&self.model, (&self.path, &self.text))?;
        let request = plan.request(self.measure(plan)?, explores);
        let PlannedSearch { plan, automatic } = PlannedSearch::new(&request)?;
        let (execution, commands) = (Execution::suited_to(&self.model), &self.model.commands);
        let outcome = match automatic {
            None => execution.check(commands, &properties, &plan, &mut ()),
            Some(automatic) => {
                let run = execution.check_automatically(commands, &properties, (&plan, &automatic), &mut ());
                run.map(|run| run.outcome)
            }
        };
        let outcome = match outcome {
            Err(CheckError::Outgrown(outgrown)) => return Ok(Err(outgrown)),
            outcome => outcome?,
        };
        let names = properties.into_iter().map(|property| property.name);
        Ok(Ok(Outcome::new(names.collect(), outcome, commands)))
    }

    /// The measure that the plan names, or else the one that the model declares.
    fn measure(&self, plan: &Plan) -> Result<MeasureRequest, Error> {
        let read = match (plan.measure_text(), &self.model.progress) {
            (Some(text), _) => {
                self.model.measure(text).map_err(|found| Error::in_text(found, "measure", text))?
            }
            (None, _) if !self.model.progress_errors.is_empty() => {
                return Err(Error::in_text(self.model.progress_errors.clone(), &self.path, &self.text));
            }
            (None, Some(declared)) => declared.expressions(),
            (None, None) => return Ok(MeasureRequest::Open),
        };
        let packed = read.pack(&self.model.commands).map_err(|error| Error::measure(&error))?;
        Ok(MeasureRequest::Given(packed))
    }
}
