//! The instances: BEEM models and Petri nets whose number of states others have counted.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use oracles::{Beem, Instance, NetAnswer, Petri};

use super::Options;

/// A model, and what is known about its state space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub name: String,
    pub model: PathBuf,
    pub states: u64,
    pub transitions: Option<u64>,
}

impl Subject {
    /// A BEEM instance. Transitions are only known if the benchmark's reading of the model is ours.
    fn of_instance(beem: &Beem, instance: &Instance) -> Self {
        let states = instance.expected_states();
        Self {
            name: instance.name.clone(),
            model: beem.dve(&instance.name),
            states,
            transitions: instance.edges.filter(|_| states == instance.states),
        }
    }

    /// A net, if its states are known.
    fn of_net(petri: &Petri, answer: &NetAnswer, temporary: &Path) -> Result<Self> {
        Ok(Self {
            name: answer.instance().to_owned(),
            model: petri.net(answer, temporary)?,
            states: answer.states.unwrap_or(0),
            transitions: answer.edges,
        })
    }
}

/// The instances that the options ask for, the smallest one first. Nets are unpacked into `temporary`.
pub fn subjects(options: &Options, temporary: &Path) -> Result<Vec<Subject>> {
    let (beem, petri) = (Beem::find(), Petri::find());
    if beem.is_none() && petri.is_none() {
        bail!("no models: set SWEEPLINE_ORACLES to a folder that has beem/states.csv or petri/expected.csv");
    }
    let mut subjects = Vec::new();
    if let Some(beem) = beem {
        let instances = beem.instances()?;
        let complete = instances.iter().filter(|instance| instance.complete);
        let all = complete.map(|instance| Subject::of_instance(&beem, instance));
        subjects.extend(all.filter(|subject| options.takes(&subject.name, subject.states)));
    }
    if let Some(petri) = petri {
        for answer in petri.state_spaces()? {
            if options.takes(answer.instance(), answer.states.unwrap_or(0)) {
                subjects.push(Subject::of_net(&petri, &answer, temporary)?);
            }
        }
    }
    subjects.sort_by(|a, b| (a.states, &a.name).cmp(&(b.states, &b.name)));
    Ok(subjects)
}
