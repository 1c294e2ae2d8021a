//! Our automata beside the never claims that `spin -f` writes: the same words, and no more states.
//!
//! Formulas and conditions are in SPIN's syntax, in which the tests read them, too. SPIN as it is distributed knows no `X`.

use std::collections::HashMap;
use std::process::Command;

use logic::buchi::{Buchi, Cube, Edge};
use logic::ltl::Ltl;
use logic::ltl_to_buchi::{Limits, buchi_of};
use model::random::Random;

/// Propositions, by their places. (`t` and `f` mean more than that to SPIN.)
const NAMES: [&str; 5] = ["p", "q", "r", "s", "z"];

/// `spin -f`; `None` where it is not installed.
fn never_claim(formula: &str) -> Option<String> {
    let output = Command::new("spin").args(["-f", formula]).output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("never"), "{formula}: {text}");
    Some(text)
}

/// A reader of formulas, operator by operator: `->` binds least, then `||`, `&&`, `U` and `V`, and unary ones.
struct Reader<'a> {
    rest: &'a str,
}

fn read(text: &str) -> Ltl {
    let mut reader = Reader { rest: text };
    let formula = reader.binary(0);
    assert_eq!(reader.rest.trim(), "", "in {text}");
    formula
}

impl Reader<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn binary(&mut self, level: usize) -> Ltl {
        type Join = fn(Ltl, Ltl) -> Ltl;
        let levels: [&[(&str, Join)]; 4] = [
            &[("->", Ltl::implies)],
            &[("||", Ltl::or)],
            &[("&&", Ltl::and)],
            &[("U", Ltl::until), ("V", Ltl::release), ("W", Ltl::weak_until)],
        ];
        let Some(operators) = levels.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1);
        while let Some((_, join)) = operators.iter().find(|(token, _)| self.takes(token)) {
            left = join(left, self.binary(level + 1));
        }
        left
    }

    fn unary(&mut self) -> Ltl {
        type Apply = fn(Ltl) -> Ltl;
        let operators: [(&str, Apply); 3] =
            [("!", Ltl::negation), ("[]", Ltl::globally), ("<>", Ltl::finally)];
        if let Some((_, apply)) = operators.into_iter().find(|(token, _)| self.takes(token)) {
            return apply(self.unary());
        }
        if self.takes("(") {
            let inner = self.binary(0);
            assert!(self.takes(")"), "at {}", self.rest);
            return inner;
        }
        for (token, constant) in [("true", Ltl::True), ("1", Ltl::True), ("false", Ltl::False)] {
            if self.takes(token) {
                return constant;
            }
        }
        let place = NAMES.iter().position(|name| self.takes(name));
        Ltl::Proposition(place.unwrap_or_else(|| panic!("no formula: {}", self.rest)) as u8)
    }
}

/// A formula as SPIN reads it.
fn in_spin_syntax(formula: &Ltl) -> String {
    let below = in_spin_syntax;
    match formula {
        Ltl::True => "true".to_owned(),
        Ltl::False => "false".to_owned(),
        Ltl::Proposition(place) => NAMES[usize::from(*place)].to_owned(),
        Ltl::Not(f) => format!("!({})", below(f)),
        Ltl::Next(_) => panic!("SPIN does not read X"),
        Ltl::Until(f, g) if **f == Ltl::True => format!("<>({})", below(g)),
        Ltl::Release(f, g) if **f == Ltl::False => format!("[]({})", below(g)),
        Ltl::And(f, g) => format!("({}) && ({})", below(f), below(g)),
        Ltl::Or(f, g) => format!("({}) || ({})", below(f), below(g)),
        Ltl::Until(f, g) => format!("({}) U ({})", below(f), below(g)),
        Ltl::Release(f, g) => format!("({}) V ({})", below(f), below(g)),
    }
}

/// The automaton of a never claim. A state may have several labels; it accepts if one of them says so.
fn automaton_of(claim: &str) -> Buchi {
    let lines: Vec<&str> = claim.lines().skip(1).map(str::trim).collect();
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut accepting: Vec<bool> = Vec::new();
    let mut after_label = false;
    for label in lines.iter().map(|line| line.strip_suffix(':')) {
        if let Some(label) = label {
            if !after_label {
                accepting.push(false);
            }
            numbers.insert(label, accepting.len() as u32 - 1);
            *accepting.last_mut().unwrap() |= label.starts_with("accept");
        }
        after_label = label.is_some();
    }
    let mut states: Vec<Vec<Edge>> = vec![Vec::new(); accepting.len()];
    let mut at = 0;
    for line in lines {
        if let Some(label) = line.strip_suffix(':') {
            at = numbers[label] as usize;
        }
        let (condition, target) = if let Some(step) = line.strip_prefix(":: atomic {") {
            (step.split_once("->").unwrap().0, numbers["accept_all"])
        } else if let Some(step) = line.strip_prefix("::") {
            let (condition, target) = step.split_once("-> goto").unwrap();
            (condition, numbers[target.trim()])
        } else if line == "skip" {
            ("true", at as u32)
        } else {
            continue;
        };
        let condition = read(condition);
        for letter in (0..1 << NAMES.len()).filter(|&letter| condition.is_true_of(&[], &[letter])) {
            let label = Cube { holds: letter, fails: !letter & ((1 << NAMES.len()) - 1) };
            states[at].push(Edge { label, target, accepting: accepting[at].into() });
        }
    }
    Buchi { states, initial: vec![0], acceptance_sets: 1 }
}

fn random_formula(random: &mut Random, operators: usize) -> Ltl {
    if operators == 0 {
        return Ltl::Proposition(random.below(3) as u8);
    }
    let kind = random.below(8);
    if kind < 3 {
        return [Ltl::negation, Ltl::finally, Ltl::globally][kind](random_formula(random, operators - 1));
    }
    let left = random.below(operators);
    let operands = (random_formula(random, left), random_formula(random, operators - 1 - left));
    [Ltl::and, Ltl::or, Ltl::implies, Ltl::until, Ltl::release][kind - 3](operands.0, operands.1)
}

fn random_letters(random: &mut Random, propositions: usize, count: usize) -> Vec<u64> {
    (0..count).map(|_| random.below(1 << propositions) as u64).collect()
}

/// Whether both accept a random word.
fn assert_same_words(random: &mut Random, formula: &Ltl, automata: [&Buchi; 2]) {
    for _ in 0..30 {
        let lengths = (random.below(4), 1 + random.below(4));
        let stem = random_letters(random, NAMES.len(), lengths.0);
        let cycle = random_letters(random, NAMES.len(), lengths.1);
        let [ours, theirs] = automata.map(|automaton| automaton.accepts(&stem, &cycle));
        assert_eq!(ours, theirs, "{} on {stem:?} {cycle:?}", in_spin_syntax(formula));
    }
}

#[test]
fn spin_accepts_the_same_words() {
    let mut random = Random::new(2012);
    for _ in 0..150 {
        let operators = 1 + random.below(6);
        let formula = random_formula(&mut random, operators);
        let Some(claim) = never_claim(&in_spin_syntax(&formula)) else {
            eprintln!("skipped: spin is not installed");
            return;
        };
        let ours = buchi_of(&formula, &Limits::default()).unwrap().degeneralised();
        assert_same_words(&mut random, &formula, [&ours, &automaton_of(&claim)]);
    }
}

/// What is asked of models. The first are the patterns of Dwyer, Avrunin and Corbett (*Patterns in property specifications for finite-state
/// verification*, ICSE 1999), in the scopes always, before `r`, after `q`, between `q` and `r`, after `q` until `r`.
const TYPICAL: [&str; 60] = [
    // Absence.
    "[]!p",
    "<>r -> (!p U r)",
    "[](q -> []!p)",
    "[]((q && !r && <>r) -> (!p U r))",
    "[]((q && !r) -> (!p W r))",
    // Existence.
    "<>p",
    "!r W (p && !r)",
    "[]!q || <>(q && <>p)",
    "[]((q && !r) -> (!r W (p && !r)))",
    "[]((q && !r) -> (!r U (p && !r)))",
    // At most once. (For "at most twice" SPIN needs 18 states and 102 for its negation, minutes in some scopes.)
    "!p W (p W []!p)",
    "<>r -> ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))",
    // Universality.
    "[]p",
    "<>r -> (p U r)",
    "[](q -> []p)",
    "[]((q && !r && <>r) -> (p U r))",
    "[]((q && !r) -> (p W r))",
    // Precedence.
    "!p W s",
    "<>r -> (!p U (s || r))",
    "[]!q || <>(q && (!p W s))",
    "[]((q && !r && <>r) -> (!p U (s || r)))",
    "[]((q && !r) -> (!p W (s || r)))",
    // Response.
    "[](p -> <>s)",
    "<>r -> ((p -> (!r U (s && !r))) U r)",
    "[](q -> [](p -> <>s))",
    "[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))",
    "[]((q && !r) -> ((p -> (!r U (s && !r))) W r))",
    // Chains.
    "<>s -> (!s U (p && <>q))",
    "[](p -> <>(q && <>s))",
    "[](p -> <>(q && !z && (!z U s)))",
    "<>r -> ((p -> (!r U (s && !r && (!r U z)))) U r)",
    "[](q -> [](p -> (s && <>z)))",
    // Fairness, and what it implies.
    "[]<>p",
    "<>[]p",
    "[]<>p && []<>q",
    "[]<>p && []<>q && []<>r",
    "[]<>p || <>[]q",
    "[]<>p -> []<>q",
    "<>[]p -> []<>q",
    "([]<>p && []<>q) -> []<>r",
    "([]<>p -> []<>q) && ([]<>r -> []<>s)",
    "[]<>p -> [](q -> <>r)",
    "([]<>p && []<>q) -> [](r -> <>s)",
    "[]<>(p && <>q)",
    "<>[](p || []q)",
    // Nested untils and others.
    "p U q",
    "p U (q U r)",
    "(p U q) U r",
    "p U (q && []r)",
    "p U (q && (r U s))",
    "[](p -> (q U r))",
    "<>(p && <>(q && <>(r && <>s)))",
    "[](p U q)",
    "[]p -> (q U r)",
    "(p U q) && (q U r)",
    "(p U q) || (r U s)",
    "[](p -> (q U (r U s)))",
    "p V (q V r)",
    "<>p && <>q && <>r",
    "[](p || <>q) && [](r || <>s)",
];

#[test]
fn typical_formulas_have_no_more_states_than_those_of_spin() {
    let mut random = Random::new(1999);
    let (mut ours_in_all, mut theirs_in_all) = (0, 0);
    println!("{:>5} {:>5} {:>5}  formula", "edges", "ours", "spin");
    for text in TYPICAL {
        for formula in [read(text), Ltl::negation(read(text))] {
            let Some(claim) = never_claim(&in_spin_syntax(&formula)) else {
                eprintln!("skipped: spin is not installed");
                return;
            };
            let general = buchi_of(&formula, &Limits::default()).unwrap();
            let ours = general.degeneralised();
            let theirs = automaton_of(&claim);
            assert_same_words(&mut random, &formula, [&ours, &theirs]);
            assert_same_words(&mut random, &formula, [&general, &theirs]);
            let sizes = (ours.states.len(), theirs.states.len());
            println!("{:>5} {:>5} {:>5}  {formula}", general.states.len(), sizes.0, sizes.1);
            assert!(sizes.0 <= 2 * sizes.1, "{formula}");
            ours_in_all += sizes.0;
            theirs_in_all += sizes.1;
        }
    }
    println!("{ours_in_all:>11} {theirs_in_all:>5}  in all");
    assert!(ours_in_all <= theirs_in_all);
}
