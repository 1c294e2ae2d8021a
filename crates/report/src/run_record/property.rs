//! A property in the run record: its kind, its verdict, and its counterexample or witness.
//!
//! Two properties are not asked for by name: that the model has no run-time error, and that
//! progress never decreases (`--expect-monotone`). Records have always written both with the kind
//! `safety`, so they are variants of their own here that are written as `safety`. When a record is
//! read, the pair of kind and name tells them apart from conformance to a service, the only other
//! property of this kind, which is called `conforms to …`.

use engine::property::{Property, PropertyKind, Spelling};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name of the property that a run-time error of the model violates.
pub const NO_RUNTIME_ERROR: &str = "no run-time error";

/// Name of the property that a regress edge violates.
pub const PROGRESS_NEVER_FALLS: &str = "progress never falls";

/// A property and its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(from = "WrittenProperty")]
pub struct PropertyRecord {
    /// The name, as the user knows it.
    pub name: String,
    /// The kind.
    pub kind: PropertyKindRecord,
    /// The verdict.
    pub verdict: AnswerRecord,
    /// Why the verdict is unknown, or what exactly was violated.
    pub reason: Option<String>,
    /// Index of the counterexample or witness in [`RunRecord::traces`](super::RunRecord::traces).
    pub trace: Option<usize>,
}

/// Kind of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PropertyKindRecord {
    /// Every reachable state has a successor.
    Deadlock,
    /// An expression is true in every reachable state.
    Invariant,
    /// An expression is true in some reachable state.
    Reach,
    /// Conformance to a service; also the absence of run-time errors, and a monotone measure.
    Safety,
    /// A formula of linear time, or a Büchi automaton.
    Ltl,
    /// A formula of branching time.
    Ctl,
    /// The model has no run-time error. Written as `safety`.
    #[serde(rename = "safety", skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    NoRuntimeError,
    /// Progress never decreases. Written as `safety`.
    #[serde(rename = "safety", skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Monotone,
}

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AnswerRecord {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// The property is not decided.
    Unknown,
}

impl PropertyRecord {
    /// A property of which the verdict is unknown.
    pub(super) fn undecided(property: &Property, reason: &str) -> Self {
        Self {
            name: property.name.clone(),
            kind: property.into(),
            verdict: AnswerRecord::Unknown,
            reason: Some(reason.into()),
            trace: None,
        }
    }
}

impl PropertyKindRecord {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::Invariant => "invariant",
            Self::Reach => "reach",
            Self::Safety | Self::NoRuntimeError | Self::Monotone => "safety",
            Self::Ltl => "ltl",
            Self::Ctl => "ctl",
        }
    }
}

impl From<&Property> for PropertyKindRecord {
    fn from(property: &Property) -> Self {
        match (&property.kind, property.spelling) {
            (PropertyKind::AlwaysPossible(_) | PropertyKind::PossiblyForEver(_), _)
            | (PropertyKind::Branching(_), _)
            | (_, Spelling::Ctl) => Self::Ctl,
            (PropertyKind::DeadlockFree | PropertyKind::ProperEnd(_), _) => Self::Deadlock,
            (PropertyKind::Invariant(_) | PropertyKind::Assertion(_), _) => Self::Invariant,
            (PropertyKind::Reachable(_), _) => Self::Reach,
            (PropertyKind::Linear(_), _) => Self::Ltl,
            (PropertyKind::Service(_), _) => Self::Safety,
        }
    }
}

/// The fields of a property as they are in a file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct WrittenProperty {
    name: String,
    kind: PropertyKindRecord,
    verdict: AnswerRecord,
    reason: Option<String>,
    trace: Option<usize>,
}

impl From<WrittenProperty> for PropertyRecord {
    fn from(written: WrittenProperty) -> Self {
        let WrittenProperty { name, kind, verdict, reason, trace } = written;
        let kind = match (kind, name.as_str()) {
            (PropertyKindRecord::Safety, NO_RUNTIME_ERROR) => PropertyKindRecord::NoRuntimeError,
            (PropertyKindRecord::Safety, PROGRESS_NEVER_FALLS) => PropertyKindRecord::Monotone,
            (kind, _) => kind,
        };
        Self { name, kind, verdict, reason, trace }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [PropertyKindRecord; 8] = [
        PropertyKindRecord::Deadlock,
        PropertyKindRecord::Invariant,
        PropertyKindRecord::Reach,
        PropertyKindRecord::Safety,
        PropertyKindRecord::Ltl,
        PropertyKindRecord::Ctl,
        PropertyKindRecord::NoRuntimeError,
        PropertyKindRecord::Monotone,
    ];

    fn property(name: &str, kind: PropertyKindRecord) -> PropertyRecord {
        let (name, verdict) = (name.into(), AnswerRecord::Violated);
        PropertyRecord { name, kind, verdict, reason: None, trace: None }
    }

    fn read_back(property: &PropertyRecord) -> PropertyRecord {
        serde_json::from_value(serde_json::to_value(property).unwrap()).unwrap()
    }

    #[test]
    fn kinds_are_written_by_their_names() {
        for kind in KINDS {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }

    #[test]
    fn every_kind_is_read_back_as_what_it_was() {
        for kind in KINDS {
            let name = match kind {
                PropertyKindRecord::NoRuntimeError => NO_RUNTIME_ERROR,
                PropertyKindRecord::Monotone => PROGRESS_NEVER_FALLS,
                _ => "conforms to m.service",
            };
            assert_eq!(read_back(&property(name, kind)).kind, kind);
        }
    }

    /// Property files may call their formulas as they like.
    #[test]
    fn a_formula_may_have_the_name_of_a_built_in_property() {
        for name in [NO_RUNTIME_ERROR, PROGRESS_NEVER_FALLS] {
            let formula = property(name, PropertyKindRecord::Ctl);
            assert_eq!(read_back(&formula), formula);
        }
    }
}
