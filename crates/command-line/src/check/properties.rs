//! From options to properties.
//!
//! Without options, all properties that the model file declares are checked, and that there is no
//! deadlock. With options, exactly the properties that they name are checked, so that the exit code
//! answers the question that was asked.
//!
//! [`PropertyReader`] turns texts into properties, for the library as well. This file finds the
//! texts, and reports what is wrong with them, or odd about them, by the name of their option.

use std::path::Path;
use std::sync::Arc;

use engine::property::fairness::Fairness;
use engine::property::service::{Halt, ServiceProperty};
use engine::property::{Property, PropertyKind};
use languages::petri::contest::{self, ContestProperty, ContestQuestion};
use languages::petri::lola;
use languages::spelling::nearest;
use languages::{DeclaredFormula, Model};
use model::guarded_commands::{DeclaredProperty, Span};
use report::Finding;
use sweepline::properties::{
    PropertyReader, QuestionError, ReadProperty, TooLarge, branching, consider_runs,
};

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
    /// Warnings about the texts of properties.
    pub warnings: Vec<Finding>,
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
        let reader = PropertyReader { model: &file.model, runs: options.runs() };
        let is_unspecific = options.is_empty();
        if options.deadlock || (is_unspecific && !options.no_deadlock) {
            questions.add(reader.no_deadlock(), Origin::Model);
        }
        let mut note = |added: Result<(), Vec<Finding>>| findings.extend(added.err().into_iter().flatten());
        let mut asked: Vec<Declared<'_>> = Vec::new();
        if is_unspecific {
            asked.extend(file.model.commands.properties.iter().map(Declared::Property));
            asked.extend(file.model.formulas.iter().map(Declared::Formula));
            note(questions.add_task(reader, file));
        }
        let named = if options.property_files.is_empty() { &options.properties[..] } else { &[] };
        for path in &options.property_files {
            note(questions.add_contest(path, &options.properties, reader, file));
        }
        for name in named {
            match all_declared(&file.model).find(|property| property.name() == *name) {
                Some(property) => asked.push(property),
                None => note(Err(vec![unknown_property(name, &file.model)])),
            }
        }
        for property in asked {
            note(questions.add_declared(property, reader, file));
        }
        for text in &options.invariants {
            let kind = PropertyKind::Invariant;
            note(questions.add_text("--invariant", text, reader, |text| reader.expression(text, kind)));
        }
        for text in &options.reachable {
            let kind = PropertyKind::Reachable;
            note(questions.add_text("--reach", text, reader, |text| reader.expression(text, kind)));
        }
        for text in &options.formulas {
            note(questions.add_text("--ctl", text, reader, |text| reader.ctl(text)));
        }
        for text in &options.linear {
            note(questions.add_text("--ltl", text, reader, |text| reader.ltl(text)));
        }
        for path in &options.automata {
            note(questions.add_automaton(path, reader));
        }
        for path in &options.services {
            let halt = options.halt.as_deref().unwrap_or("deadlock");
            note(questions.add_service(path, halt, file));
        }
        for text in &options.homes {
            note(questions.add_text("--home", text, reader, |text| reader.home(text)));
        }
        if findings.is_empty() && options.fairness && !consider_runs(&questions.properties) {
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

    fn add(&mut self, property: Property, origin: Origin) {
        self.properties.push(property);
        self.origins.push(origin);
    }

    /// Adds the property that the value of an option stands for.
    fn add_text(
        &mut self,
        option: &'static str,
        text: &str,
        reader: PropertyReader<'_>,
        read: impl FnOnce(&str) -> Result<ReadProperty, QuestionError>,
    ) -> Result<(), Vec<Finding>> {
        let text: Arc<str> = text.into();
        let read = read(&text).map_err(|error| with_advice(refused(error, option, &text)))?;
        self.warnings.extend(in_text(read.warnings, option, &text));
        self.add(of_fair_runs(read.property, reader), Origin::Option(option, text));
        Ok(())
    }

    fn add_declared(
        &mut self,
        declared: Declared<'_>,
        reader: PropertyReader<'_>,
        file: &ModelFile,
    ) -> Result<(), Vec<Finding>> {
        let property = match declared {
            Declared::Property(property) => reader.declared(property),
            Declared::Formula(formula) => reader.declared_formula(formula),
        };
        let property = property.map_err(|error| refused(error, &file.path, &file.text))?;
        self.add(of_fair_runs(property, reader), Origin::Model);
        Ok(())
    }

    fn add_automaton(&mut self, path: &str, reader: PropertyReader<'_>) -> Result<(), Vec<Finding>> {
        let text = read_text(Path::new(path), LARGEST_MODEL).map_err(|finding| vec![finding])?;
        let text: Arc<str> = text.into();
        let read = reader.automaton(format!("no run of {path}"), &text);
        let read = read.map_err(|error| with_advice(refused(error, path, &text)))?;
        self.warnings.extend(in_text(read.warnings, path, &text));
        self.add(of_fair_runs(read.property, reader), Origin::Model);
        Ok(())
    }

    /// Adds the task at the end of a LoLA net.
    fn add_task(&mut self, reader: PropertyReader<'_>, file: &ModelFile) -> Result<(), Vec<Finding>> {
        let task = lola::task_after_net(&file.model, &file.text);
        match task.map_err(|found| in_text(found, &file.path, &file.text))? {
            Some(question) => self.add_question("task".into(), question, reader),
            None => Ok(()),
        }
    }

    fn add_question(
        &mut self,
        name: String,
        question: ContestQuestion,
        reader: PropertyReader<'_>,
    ) -> Result<(), Vec<Finding>> {
        let (kind, opposite) = contest_kind(&name, question, reader)?;
        let name = if opposite { format!("not {name}") } else { name };
        self.add(Property::new(name, kind), Origin::Model);
        Ok(())
    }

    /// Adds the properties of a contest file, or those of them that are named.
    fn add_contest(
        &mut self,
        path: &str,
        names: &[String],
        reader: PropertyReader<'_>,
        file: &ModelFile,
    ) -> Result<(), Vec<Finding>> {
        for ContestProperty { name, question, .. } in contest_properties(path, file)? {
            if !names.is_empty() && !names.contains(&name) {
                continue;
            }
            self.add_question(name, question, reader)?;
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
                let read = file.model.expression_with_warnings(&text);
                let (read, warnings) = read.map_err(|found| with_advice(in_text(found, "--halt", &text)))?;
                self.warnings.extend(in_text(warnings, "--halt", &text));
                origin = Origin::Option("--halt", text);
                Halt::When(read)
            }
        };
        let service = ServiceProperty::new(read.automaton, read.events, halt).map_err(|error| {
            let help = "write an automaton with fewer silent steps, or fewer steps for the same event";
            vec![Finding::error(codes::FORMULA_TOO_LARGE, format!("{path}: {error}"), help)]
        })?;
        let kind = PropertyKind::Service(Box::new(service));
        self.add(Property::new(format!("conforms to {path}"), kind), origin);
        Ok(())
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
    reader: PropertyReader<'_>,
) -> Result<(PropertyKind, bool), Vec<Finding>> {
    Ok(match question {
        ContestQuestion::Deadlock => (PropertyKind::DeadlockFree, true),
        ContestQuestion::Reachable(goal) => (PropertyKind::Reachable(goal), false),
        ContestQuestion::Invariant(always) => (PropertyKind::Invariant(always), false),
        ContestQuestion::Branching(formula) => (branching(formula), false),
        ContestQuestion::EveryRun(formula) => (reader.every_run(formula).map_err(too_large)?, false),
        ContestQuestion::NotEveryRun(formula) => (reader.every_run(formula).map_err(too_large)?, true),
        ContestQuestion::Bound(_) => return Err(vec![is_a_number(name)]),
    })
}

/// The error for a property whose answer is a number.
fn is_a_number(name: &str) -> Finding {
    let message = format!("the answer to `{name}` is a number");
    Finding::error(codes::NOT_TRUE_OR_FALSE, message, "--contest-output prints it")
}

/// What is wrong with a question.
pub fn refused(error: QuestionError, origin: &str, text: &Arc<str>) -> Vec<Finding> {
    match error {
        QuestionError::Text(found) => in_text(found, origin, text),
        QuestionError::TooLarge(formula) => too_large(formula),
    }
}

/// The error for a formula whose automaton is too large.
pub fn too_large(TooLarge { formula, error }: TooLarge) -> Vec<Finding> {
    vec![Finding::error(codes::FORMULA_TOO_LARGE, format!("`{formula}`: {error}"), error.advice())]
}

/// The property, with a remark in its name if it is about fair runs.
fn of_fair_runs(mut property: Property, reader: PropertyReader<'_>) -> Property {
    let is_fair = reader.runs.fairness == Fairness::Weak || !reader.model.commands.fair_actions.is_empty();
    if is_fair && matches!(property.kind, PropertyKind::Linear(_)) {
        property.name.push_str(" (fair runs)");
    }
    property
}

/// Adds advice to findings that have none.
pub fn with_advice(mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        finding.help.get_or_insert_with(|| ADVICE.into());
    }
    findings
}

/// A property that a model file declares.
#[derive(Clone, Copy)]
enum Declared<'m> {
    Property(&'m DeclaredProperty),
    Formula(&'m DeclaredFormula),
}

impl<'m> Declared<'m> {
    fn name(self) -> &'m str {
        match self {
            Self::Property(property) => &property.name,
            Self::Formula(formula) => &formula.name,
        }
    }
}

/// All properties that a model file declares, those that must be named included.
fn all_declared(model: &Model) -> impl Iterator<Item = Declared<'_>> {
    let properties = model.commands.properties.iter().chain(&model.optional).map(Declared::Property);
    properties.chain(model.formulas.iter().map(Declared::Formula))
}

fn unknown_property(name: &str, model: &Model) -> Finding {
    let names = || all_declared(model).map(Declared::name);
    let listed: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let help = match nearest(name, names()) {
        _ if listed.is_empty() => {
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
