//! From options to properties.
//!
//! Without options, all properties that the model file declares are checked, and that there is no
//! deadlock. With options, exactly the properties that they name are checked, so that the exit code
//! answers the question that was asked.

use std::path::Path;
use std::sync::Arc;

use engine::property::fairness::Fairness;
use engine::property::linear::{LinearProperty, Runs};
use engine::property::service::{Halt, ServiceProperty};
use engine::property::{BranchingProperty, Property, PropertyKind, Spelling};
use languages::petri::contest::{self, ContestProperty, ContestQuestion};
use languages::petri::lola;
use languages::spelling::nearest;
use languages::{AutomatonWithPropositions, CtlForm, LtlFormula};
use logic::ltl_to_buchi::Limits;
use model::guarded_commands::{DeclaredProperty, DeclaredPropertyKind, Expression, Span};
use report::Finding;

use crate::explain::codes;
use crate::input::model_file::{ModelFile, in_text};
use crate::input::text_file::{LARGEST_MODEL, LARGEST_STATE_SPACE, read_text};
use crate::options::PropertyOptions;

/// Advice about an expression when the language has none.
const ADVICE: &str = "an expression may use global variables, `Process->variable` and `Process.state`, like `x < 3 and not P.critical`";

/// The properties to check.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// The properties, in the order of the report.
    pub properties: Vec<Property>,
    /// The origin of each property's text, for diagnostics.
    origins: Vec<Origin>,
}

/// Where the text of a property comes from.
#[derive(Clone, Debug)]
enum Origin {
    /// The model file, or there is no text.
    Model,
    /// The value of this option.
    Option(&'static str, Arc<str>),
}

impl Questions {
    /// Reads the properties that the options name.
    ///
    /// # Errors
    /// Everything that is wrong with names and expressions.
    pub fn read(options: &PropertyOptions, file: &ModelFile) -> Result<Self, Vec<Finding>> {
        let mut questions = Self::default();
        let mut findings = Vec::new();
        let is_unspecific = options.is_empty();
        if options.deadlock || (is_unspecific && !options.no_deadlock) {
            questions.add("no deadlock".into(), PropertyKind::DeadlockFree, Origin::Model);
        }
        let declared = &file.model.commands.properties;
        let mut asked: Vec<&DeclaredProperty> = Vec::new();
        if is_unspecific {
            asked.extend(declared);
            findings.extend(questions.add_task(options.runs(), file).err().into_iter().flatten());
        }
        let named = if options.property_files.is_empty() { &options.properties[..] } else { &[] };
        for path in &options.property_files {
            let added = questions.add_contest(path, &options.properties, options.runs(), file);
            findings.extend(added.err().into_iter().flatten());
        }
        for name in named {
            match declared.iter().find(|property| property.name == *name) {
                Some(property) => asked.push(property),
                None => findings.push(unknown_property(name, declared)),
            }
        }
        for property in asked {
            let added = questions.add_declared(property, options.runs(), file);
            findings.extend(added.err().into_iter().flatten());
        }
        let invariants = options.invariants.iter().map(|text| ("--invariant", text));
        let reachable = options.reachable.iter().map(|text| ("--reach", text));
        for (option, text) in invariants.chain(reachable) {
            let kind = if option == "--reach" { PropertyKind::Reachable } else { PropertyKind::Invariant };
            if let Err(found) = questions.add_expression(option, text, kind, file) {
                findings.extend(found);
            }
        }
        for text in &options.formulas {
            findings.extend(questions.add_formula(text, file).err().into_iter().flatten());
        }
        for text in &options.linear {
            findings.extend(questions.add_linear(text, options.runs(), file).err().into_iter().flatten());
        }
        for path in &options.automata {
            findings.extend(questions.add_automaton(path, options.runs(), file).err().into_iter().flatten());
        }
        for path in &options.services {
            let halt = options.halt.as_deref().unwrap_or("deadlock");
            findings.extend(questions.add_service(path, halt, file).err().into_iter().flatten());
        }
        for text in &options.homes {
            findings.extend(questions.add_home(text, file).err().into_iter().flatten());
        }
        let is_linear = |property: &Property| matches!(property.kind, PropertyKind::Linear(_));
        if findings.is_empty() && options.fairness && !questions.properties.iter().any(is_linear) {
            findings.push(Finding::error(
                codes::FAIRNESS_OF_NOTHING,
                "`--fairness` is about runs, and no property of runs is checked",
                "use --ltl, --automaton, or the name of a property process; fairness does not change, or has no meaning for, other properties",
            ));
        }
        if findings.is_empty() { Ok(questions) } else { Err(findings) }
    }

    /// Warnings about branching-time formulas, which consider unfair runs, too, although the net
    /// declares fair transitions.
    pub fn of_unfair_runs(&self, file: &ModelFile) -> Vec<Finding> {
        // `AG EF` and `EF AG` are about reachability, which fairness does not change.
        let is_branching = |kind: &PropertyKind| matches!(kind, PropertyKind::Branching(_));
        if file.model.commands.fair_actions.is_empty() {
            return Vec::new();
        }
        let asked = self.properties.iter().filter(|property| is_branching(&property.kind));
        let ignored = asked.map(|property| {
            let message = format!("`{}` is about all runs, including unfair ones", property.name);
            let help =
                "fair transitions affect only linear-time properties: use --ltl, if the property can be written in it";
            Finding::warning(codes::FAIRNESS_IGNORED, message, help)
        });
        ignored.collect()
    }

    /// The text that a property was read from, with the name of its origin.
    pub fn text_of(&self, property: usize, file: &ModelFile) -> (String, Arc<str>) {
        match self.origins.get(property) {
            Some(Origin::Option(option, text)) => ((*option).into(), Arc::clone(text)),
            Some(Origin::Model) | None => (file.path.clone(), Arc::clone(&file.text)),
        }
    }

    fn add(&mut self, name: String, kind: PropertyKind, origin: Origin) {
        self.properties.push(Property::new(name, kind));
        self.origins.push(origin);
    }

    fn add_declared(
        &mut self,
        property: &DeclaredProperty,
        runs: Runs,
        file: &ModelFile,
    ) -> Result<(), Vec<Finding>> {
        let name = property.name.clone();
        let (name, kind) = match &property.kind {
            DeclaredPropertyKind::Invariant(expression) => {
                (name, PropertyKind::Invariant(expression.clone()))
            }
            DeclaredPropertyKind::NoAcceptedRun(process) => {
                let read = file.model.declared_automaton(process);
                let read = read.map_err(|found| in_text(found, &file.path, &file.text))?;
                (name_of(name, runs, file), linear_kind(read, runs))
            }
        };
        self.add(name, kind, Origin::Model);
        Ok(())
    }

    fn add_linear(&mut self, text: &str, runs: Runs, file: &ModelFile) -> Result<(), Vec<Finding>> {
        let formula = formula_of(text, file)?;
        let name = name_of(formula.to_string(), runs, file);
        let linear = linear_property(formula)?;
        let kind = PropertyKind::Linear(Box::new(linear.of_runs(runs)));
        self.add(name, kind, Origin::Option("--ltl", text.into()));
        Ok(())
    }

    fn add_automaton(&mut self, path: &str, runs: Runs, file: &ModelFile) -> Result<(), Vec<Finding>> {
        let text = read_text(Path::new(path), LARGEST_MODEL).map_err(|finding| vec![finding])?;
        let text: Arc<str> = text.into();
        let read = file.model.automaton(&text).map_err(|found| with_advice(in_text(found, path, &text)))?;
        self.add(name_of(format!("no run of {path}"), runs, file), linear_kind(read, runs), Origin::Model);
        Ok(())
    }

    /// Adds the task at the end of a LoLA net.
    fn add_task(&mut self, runs: Runs, file: &ModelFile) -> Result<(), Vec<Finding>> {
        let task = lola::task_after_net(&file.model, &file.text);
        match task.map_err(|found| in_text(found, &file.path, &file.text))? {
            Some(question) => self.add_question("task".into(), question, runs),
            None => Ok(()),
        }
    }

    fn add_question(
        &mut self,
        name: String,
        question: ContestQuestion,
        runs: Runs,
    ) -> Result<(), Vec<Finding>> {
        let (kind, opposite) = contest_kind(&name, question, runs)?;
        let name = if opposite { format!("not {name}") } else { name };
        self.add(name, kind, Origin::Model);
        Ok(())
    }

    /// Adds the properties of a contest file, or those of them that are named.
    fn add_contest(
        &mut self,
        path: &str,
        names: &[String],
        runs: Runs,
        file: &ModelFile,
    ) -> Result<(), Vec<Finding>> {
        for ContestProperty { name, question, .. } in contest_properties(path, file)? {
            if !names.is_empty() && !names.contains(&name) {
                continue;
            }
            self.add_question(name, question, runs)?;
        }
        Ok(())
    }

    fn add_service(&mut self, path: &str, halt: &str, file: &ModelFile) -> Result<(), Vec<Finding>> {
        let text = read_text(Path::new(path), LARGEST_MODEL).map_err(|finding| vec![finding])?;
        let text: Arc<str> = text.into();
        let read = file.model.service(&text).map_err(|found| in_text(found, path, &text))?;
        let mut origin = Origin::Model;
        let halt = match halt.trim() {
            "prefix" => Halt::Prefix,
            "deadlock" => Halt::Deadlock,
            expression => {
                let text: Arc<str> = expression.into();
                let read = file.model.expression(&text);
                let read = read.map_err(|found| with_advice(in_text(found, "--halt", &text)))?;
                origin = Origin::Option("--halt", text);
                Halt::When(read)
            }
        };
        let service = ServiceProperty::new(read.automaton, read.events, halt).map_err(|error| {
            let help = "write an automaton with fewer silent steps, or fewer steps for the same event";
            vec![Finding::error(codes::FORMULA_TOO_LARGE, format!("{path}: {error}"), help)]
        })?;
        self.add(format!("conforms to {path}"), PropertyKind::Service(Box::new(service)), origin);
        Ok(())
    }

    fn add_formula(&mut self, text: &str, file: &ModelFile) -> Result<(), Vec<Finding>> {
        let text: Arc<str> = text.into();
        let formula = file.model.ctl(&text).map_err(|found| with_advice(in_text(found, "--ctl", &text)))?;
        let name = formula.to_string();
        self.properties.push(match formula.special() {
            Some((form, operand)) => ctl_property(&name, form, operand),
            None => {
                let propositions = formula.propositions.into_iter().map(|one| one.expression).collect();
                let branching = BranchingProperty { formula: formula.formula, propositions };
                Property::new(name, PropertyKind::Branching(Box::new(branching)))
            }
        });
        self.origins.push(Origin::Option("--ctl", text));
        Ok(())
    }

    fn add_home(&mut self, text: &str, file: &ModelFile) -> Result<(), Vec<Finding>> {
        let text: Arc<str> = text.into();
        let expression =
            file.model.expression(&text).map_err(|found| with_advice(in_text(found, "--home", &text)))?;
        self.properties.push(ctl_property(&format!("AG EF ({})", text.trim()), CtlForm::AgEf, expression));
        self.origins.push(Origin::Option("--home", text));
        Ok(())
    }

    fn add_expression(
        &mut self,
        option: &'static str,
        text: &str,
        kind: fn(Expression) -> PropertyKind,
        file: &ModelFile,
    ) -> Result<(), Vec<Finding>> {
        let text: Arc<str> = text.into();
        match file.model.expression(&text) {
            Ok(expression) => {
                self.add(text.trim().into(), kind(expression), Origin::Option(option, text));
                Ok(())
            }
            Err(diagnostics) => Err(with_advice(in_text(diagnostics, option, &text))),
        }
    }
}

/// Reads the properties of a contest file, or the task of a LoLA file.
///
/// # Errors
/// Everything that is wrong with it.
pub fn contest_properties(path: &str, file: &ModelFile) -> Result<Vec<ContestProperty>, Vec<Finding>> {
    let text = read_text(Path::new(path), LARGEST_STATE_SPACE).map_err(|finding| vec![finding])?;
    let text: Arc<str> = text.into();
    let is_xml = text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
    let read = if is_xml {
        contest::properties(&file.model, &text)
    } else {
        let span = Span::new(0, text.len());
        let name =
            Path::new(path).file_stem().map_or(path.into(), |name| name.to_string_lossy()).into_owned();
        lola::task(&file.model, &text).map(|question| vec![ContestProperty { name, question, span }])
    };
    read.map_err(|found| in_text(found, path, &text))
}

/// A contest question as a property, and whether its answer is the negation of the property's. A
/// bound has no such property.
///
/// # Errors
/// Its automaton is too large.
pub fn contest_kind(
    name: &str,
    question: ContestQuestion,
    runs: Runs,
) -> Result<(PropertyKind, bool), Vec<Finding>> {
    Ok(match question {
        ContestQuestion::Deadlock => (PropertyKind::DeadlockFree, true),
        ContestQuestion::Reachable(goal) => (PropertyKind::Reachable(goal), false),
        ContestQuestion::Invariant(always) => (PropertyKind::Invariant(always), false),
        ContestQuestion::Branching(formula) => {
            let propositions = formula.propositions.into_iter().map(|one| one.expression).collect();
            let branching = BranchingProperty { formula: formula.formula, propositions };
            (PropertyKind::Branching(Box::new(branching)), false)
        }
        ContestQuestion::EveryRun(formula) => {
            (PropertyKind::Linear(Box::new(linear_property(formula)?.of_runs(runs))), false)
        }
        ContestQuestion::NotEveryRun(formula) => {
            (PropertyKind::Linear(Box::new(linear_property(formula)?.of_runs(runs))), true)
        }
        ContestQuestion::Bound(_) => return Err(vec![is_a_number(name)]),
    })
}

/// The error for a property whose answer is a number.
fn is_a_number(name: &str) -> Finding {
    let message = format!("the answer to `{name}` is a number");
    Finding::error(codes::NOT_TRUE_OR_FALSE, message, "--contest-output prints it")
}

/// Parses the value of `--ltl`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn formula_of(text: &str, file: &ModelFile) -> Result<LtlFormula, Vec<Finding>> {
    let text: Arc<str> = text.into();
    file.model.ltl(&text).map_err(|found| with_advice(in_text(found, "--ltl", &text)))
}

/// The property that a formula holds of every run.
///
/// # Errors
/// Its automaton is too large.
pub fn linear_property(formula: LtlFormula) -> Result<LinearProperty, Vec<Finding>> {
    let LtlFormula { formula, propositions, text: name, .. } = formula;
    let propositions = propositions.into_iter().map(|one| one.expression).collect();
    LinearProperty::of_formula(formula, propositions, &Limits::default()).map_err(|error| {
        vec![Finding::error(codes::FORMULA_TOO_LARGE, format!("`{name}`: {error}"), error.advice())]
    })
}

/// The property that an automaton accepts no run.
pub fn rejecting(read: AutomatonWithPropositions) -> LinearProperty {
    let propositions = read.propositions.into_iter().map(|one| one.expression).collect();
    LinearProperty::of_automaton(&read.automaton, propositions)
}

/// The name of a property, with a remark if it is about fair runs.
fn name_of(name: String, runs: Runs, file: &ModelFile) -> String {
    let is_fair = runs.fairness == Fairness::Weak || !file.model.commands.fair_actions.is_empty();
    if is_fair { format!("{name} (fair runs)") } else { name }
}

fn linear_kind(read: AutomatonWithPropositions, runs: Runs) -> PropertyKind {
    PropertyKind::Linear(Box::new(rejecting(read).of_runs(runs)))
}

/// A CTL formula of a special form as a property.
pub fn ctl_property(name: &str, form: CtlForm, operand: Expression) -> Property {
    Property { spelling: Spelling::Ctl, ..Property::new(name, sweepline::ctl_kind(form, operand)) }
}

/// Adds advice to findings that have none.
fn with_advice(mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        finding.help.get_or_insert_with(|| ADVICE.into());
    }
    findings
}

fn unknown_property(name: &str, declared: &[DeclaredProperty]) -> Finding {
    let names = || declared.iter().map(|property| property.name.as_str());
    let listed: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let help = match nearest(name, names()) {
        _ if declared.is_empty() => {
            "it declares none; use --invariant, --reach, --ltl, --ctl or --deadlock".into()
        }
        Some(near) => format!("did you mean `{near}`? It declares {}", listed.join(", ")),
        None => format!("it declares {}", listed.join(", ")),
    };
    Finding::error(codes::UNKNOWN_PROPERTY, format!("the model declares no property `{name}`"), help)
}

/// The warning for a check without properties, which would always succeed.
pub fn nothing_to_check() -> Finding {
    let message = "there is no property to check: only run-time errors will be found";
    let help = "use --invariant, --reach, --ltl, --ctl or --deadlock; `sweepline explore` only counts states";
    Finding::warning(codes::NOTHING_TO_CHECK, message, help)
}
