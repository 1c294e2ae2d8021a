//! Properties that hold for a trivial reason: what they assume never happens, or their types say it all.
//!
//! Whether a premise is true in some state is a question like any other, so it is asked by a second search, after one that
//! found that the property holds. Mostly it ends soon, with such a state. Where there is none, it would go through
//! all states again, so that it gives up after some millions.

use engine::check::{Outcome, Plan, TerminalList, TraceChoice};
use engine::property::premises::{is_true_by_type, premises};
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use model::guarded_commands::Expression;
use report::Finding;

use crate::codes;
use crate::model_file::ModelFile;

/// The most states that are looked at for premises.
const MOST_STATES: u64 = 5_000_000;
/// The most premises that are looked for.
const MOST_PREMISES: usize = 32;

/// What properties that hold assume.
pub struct Premises<'a> {
    file: &'a ModelFile,
    /// The name of each property, with a premise.
    assumed: Vec<(&'a str, Expression)>,
    /// Properties that their types imply.
    implied: Vec<&'a str>,
}

impl<'a> Premises<'a> {
    /// Those of the properties that hold by this outcome.
    pub fn of(properties: &'a [Property], outcome: &Outcome, file: &'a ModelFile) -> Self {
        let (mut assumed, mut implied) = (Vec::new(), Vec::new());
        for (property, verdict) in properties.iter().zip(&outcome.verdicts) {
            if !matches!(verdict, Verdict::Holds(_)) {
                continue;
            }
            match &property.kind {
                PropertyKind::Invariant(expression) if is_true_by_type(&file.model.commands, expression) => {
                    implied.push(&*property.name);
                }
                kind => assumed.extend(premises(kind).into_iter().map(|premise| (&*property.name, premise))),
            }
        }
        assumed.truncate(MOST_PREMISES);
        Self { file, assumed, implied }
    }

    /// What is to be asked about premises, and how, if there are any.
    pub fn question(&self, plan: &Plan) -> Option<(Vec<Property>, Plan)> {
        let ask = |(name, premise): &(&str, Expression)| {
            Property::new(*name, PropertyKind::Reachable(premise.clone()))
        };
        let properties: Vec<Property> = self.assumed.iter().map(ask).collect();
        let mut plan = Plan {
            explore_all: false,
            checkpoint: None,
            survey: false,
            course: false,
            terminal_states: TerminalList::Counted,
            traces: TraceChoice::First,
            ..plan.clone()
        };
        plan.limits.states = plan.limits.states.min(MOST_STATES);
        (!properties.is_empty()).then_some((properties, plan))
    }

    /// What is odd, given the answer to the question.
    pub fn findings(&self, answer: Option<&Outcome>) -> Vec<Finding> {
        let verdicts = answer.map_or(&[][..], |outcome| &outcome.verdicts);
        let mut said = Vec::new();
        for ((name, premise), verdict) in self.assumed.iter().zip(verdicts) {
            let premise = self.file.model.measure_text(std::slice::from_ref(premise));
            if matches!(verdict, Verdict::Violated(_)) && !said.contains(&(*name, premise.clone())) {
                said.push((*name, premise));
            }
        }
        let never = said.into_iter().map(|(name, premise)| {
            let message = format!(
                "`{name}` assumes `{premise}`, which is never true: what it says of that case holds for a trivial reason"
            );
            let help = format!("is the premise what you mean? --reach \"{premise}\" looks for it");
            Finding::warning(codes::TRIVIALLY_TRUE, message, help)
        });
        let implied = self.implied.iter().map(|name| {
            let message = format!("`{name}` holds for a trivial reason: the types of its variables imply it");
            let help = "it says nothing about the model; is it what you mean?";
            Finding::warning(codes::TRIVIALLY_TRUE, message, help)
        });
        never.chain(implied).collect()
    }
}
