//! The banner, the reason why a run is incomplete, and the verdict of each property.
//!
//! Every verdict has a word and a symbol in addition to its colour.

use std::fmt;

use crate::exit::Exit;
use crate::markup::Escaped;
use crate::quantities::{Count, Steps};
use crate::run_record::{AnswerRecord, PropertyRecord, RunRecord};

/// The symbol and the word of a verdict.
fn sign(answer: AnswerRecord) -> (&'static str, &'static str) {
    match answer {
        AnswerRecord::Holds => ("✓", "holds"),
        AnswerRecord::Violated => ("✗", "violated"),
        AnswerRecord::Unknown => ("?", "unknown"),
    }
}

/// The result of the run in one line.
pub struct Banner<'a>(pub &'a RunRecord);

impl Banner<'_> {
    /// The result in a few words.
    pub fn words(&self) -> String {
        let run = self.0;
        let count = |answer| run.properties.iter().filter(|one| one.verdict == answer).count() as u64;
        let (all, violated) = (run.properties.len() as u64, count(AnswerRecord::Violated));
        if run.exit_code == Exit::BadInput.code() {
            return "Nothing was checked".into();
        }
        if run.exit_code == Exit::Defect.code() {
            return "A defect in Sweepline".into();
        }
        match (all, violated, count(AnswerRecord::Unknown)) {
            (0, _, _) if run.search.complete => "Explored in full".into(),
            (0, _, _) => "Explored in part".into(),
            (1, 1, _) => "The property is violated".into(),
            (1, _, 1) => "The property is not decided".into(),
            (1, ..) => "The property holds".into(),
            (_, 0, 0) => format!("All {} properties hold", Count(all)),
            (_, 0, unknown) => {
                format!("{} of {} properties {} not decided", Count(unknown), Count(all), are(unknown))
            }
            (..) => format!("{} of {} properties {} violated", Count(violated), Count(all), are(violated)),
        }
    }
}

fn are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// The meaning of an exit code.
fn meaning(code: u8) -> &'static str {
    match code {
        0 => "every checked property holds, and the search was complete or ended with a witness",
        1 => "at least one property is violated",
        2 => "the command line, the model or a property is wrong; nothing was checked",
        3 => "a verdict is unknown; no violation was found",
        4 => "a defect in Sweepline; please report it",
        _ => "not used by Sweepline",
    }
}

impl fmt::Display for Banner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.0.exit_code;
        let (sign, class) = match code {
            0 => ("✓", "holds"),
            1 => ("✗", "violated"),
            2 | 4 => ("!", "violated"),
            _ => ("?", "unknown"),
        };
        write!(
            f,
            "<div class=\"banner {class}\"><span class=\"sign\" aria-hidden=\"true\">{sign}</span><div>\
             <p class=\"verdict\">{}</p><p class=\"exit\">Exit code {code}: {}.</p></div></div>",
            Escaped(&self.words()),
            meaning(code)
        )
    }
}

/// Why the search is incomplete, if it is.
pub struct Limits<'a>(pub &'a RunRecord);

impl fmt::Display for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let search = &self.0.search;
        let reason = match &search.stopped {
            Some(reason) => {
                format!("The search was stopped: {reason}. Nothing is known about the other states.")
            }
            None if search.complete || search.transitions.total.is_none() => return Ok(()),
            None => {
                "The search stopped when all verdicts were known; the counts are those at that time.".into()
            }
        };
        let class = if search.stopped.is_some() { "limit" } else { "limit mild" };
        write!(
            f,
            "<p class=\"{class}\"><strong>Not all states were visited.</strong> {}</p>",
            Escaped(&reason)
        )
    }
}

/// The verdicts, one by one.
pub struct Answers<'a>(pub &'a RunRecord);

impl fmt::Display for Answers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.properties.is_empty() {
            let is_bad = self.0.exit_code == Exit::BadInput.code();
            let words = if is_bad { "There are none: see the errors." } else { "No property was checked." };
            return write!(f, "<p>{words}</p>");
        }
        f.write_str("<ul class=\"answers\">")?;
        self.0.properties.iter().try_for_each(|property| self.answer(f, property))?;
        f.write_str("</ul>")
    }
}

impl Answers<'_> {
    fn answer(&self, f: &mut fmt::Formatter<'_>, property: &PropertyRecord) -> fmt::Result {
        let (sign, word) = sign(property.verdict);
        write!(
            f,
            "<li class=\"{word}\"><span class=\"word\"><span aria-hidden=\"true\">{sign}</span> {word}</span>\
             <div class=\"question\"><code class=\"name\">{}</code> <span class=\"kind\">{}</span>",
            Escaped(&property.name),
            property.kind.name()
        )?;
        if let Some(reason) = &property.reason {
            write!(f, "<p class=\"reason\">{}</p>", Escaped(reason))?;
        }
        if let Some((number, trace)) =
            property.trace.and_then(|place| Some((place, self.0.traces.get(place)?)))
        {
            let what = match property.verdict {
                AnswerRecord::Holds => "witness",
                AnswerRecord::Violated | AnswerRecord::Unknown => "counterexample",
            };
            let length = Steps(trace.steps.len());
            write!(f, "<a class=\"to-trace\" href=\"#trace-{}\">Show the {what}, {length}</a>", number + 1)?;
        }
        f.write_str("</div></li>")
    }
}
