//! Reading a net of LoLA, by recursive descent.

use std::collections::HashMap;

use model::guarded_commands::Span;

use super::tokens::{Braces, Cursor, Token, tokens};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::petri::net::{Fairness, Net, NetArc, NetPlace, NetTransition};
use crate::spelling::did_you_mean;

/// Words at the start of the parts of high-level nets.
const HIGH_LEVEL: [&str; 6] = ["SORT", "FUNCTION", "CONSTANT", "GUARD", "VAR", "BEGIN"];

/// Words at the start of tasks. In LoLA 1 they follow nets.
const TASKS: [&str; 3] = ["FORMULA", "ANALYSE", "ANALYZE"];

/// Reads a whole file.
pub(in crate::petri) fn net(text: &str) -> Result<Net, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let words = Cursor::new(tokens(text, Braces::Comments, &mut diagnostics));
    let (net, places) = (Net { name: "net".into(), ..Net::default() }, HashMap::new());
    let transitions = HashMap::new();
    let mut reader = Reader { words, net, places, transitions, diagnostics: &mut diagnostics };
    let read = reader.file();
    let net = reader.net;
    diagnostics.check(read)?;
    Ok(net)
}

struct Reader<'text, 'run> {
    words: Cursor<'text>,
    net: Net,
    places: HashMap<&'text str, u32>,
    transitions: HashMap<&'text str, Span>,
    diagnostics: &'run mut Diagnostics,
}

impl<'text> Reader<'text, '_> {
    /// `file = "PLACE" places { places } "MARKING" list ";" { transition } [ task ]`
    fn file(&mut self) -> Checked<()> {
        self.keyword("PLACE")?;
        self.places()?;
        while !self.words.at("MARKING") {
            self.places()?;
        }
        self.keyword("MARKING")?;
        for (place, tokens, span) in self.list()? {
            let marked = &mut self.net.places[place as usize].tokens;
            match marked.checked_add(tokens) {
                Some(sum) => *marked = sum,
                None => return Err(self.too_many(span)),
            }
        }
        self.keyword(";")?;
        while !self.words.at("") {
            if TASKS.contains(&self.words.token().text) {
                self.net.task = Some(self.words.token().span.start as usize);
                break;
            }
            self.transition()?;
        }
        Ok(())
    }

    /// `places = [ "SAFE" [ number ] ":" ] name { "," name } ";"`
    fn places(&mut self) -> Checked<()> {
        // `SAFE` may also be the name of a place; then no colon follows.
        let behind = |count: usize| self.words.ahead(count).text;
        if self.words.at("SAFE") && (behind(1) == ":" || behind(2) == ":") {
            self.words.advance();
            if !self.words.at(":") {
                self.number()?;
            }
            self.keyword(":")?;
        }
        loop {
            let name = self.name("the name of a place")?;
            let number = self.net.places.len() as u32;
            if self.places.insert(name.text, number).is_some() {
                self.declared_twice(name, "place");
            }
            let place = NetPlace { name: name.text.to_owned(), tokens: 0, span: name.span };
            self.net.add_place(place, name.text);
            if !self.words.eat(&[","]) {
                return self.keyword(";");
            }
        }
    }

    /// `list = [ name [ ":" number ] { "," name [ ":" number ] } ]`
    fn list(&mut self) -> Checked<Vec<(u32, u32, Span)>> {
        let mut list = Vec::new();
        if self.words.at(";") {
            return Ok(list);
        }
        loop {
            let name = self.name("the name of a place")?;
            let count = if self.words.eat(&[":"]) { self.number()? } else { 1 };
            match self.places.get(name.text) {
                Some(place) => list.push((*place, count, name.span)),
                None => self.unknown_place(name),
            }
            if !self.words.eat(&[","]) {
                return Ok(list);
            }
        }
    }

    /// `transition = "TRANSITION" name [ ( "WEAK" | "STRONG" ) "FAIR" ] "CONSUME" list ";"
    /// "PRODUCE" list ";"`
    fn transition(&mut self) -> Checked<()> {
        self.keyword("TRANSITION")?;
        let name = self.name("the name of a transition")?;
        if self.transitions.insert(name.text, name.span).is_some() {
            self.declared_twice(name, "transition");
        }
        let fairness = match self.words.token().text {
            "WEAK" => Fairness::Weak,
            "STRONG" => Fairness::Strong,
            _ => Fairness::None,
        };
        if fairness != Fairness::None {
            self.words.advance();
            self.keyword("FAIR")?;
        }
        self.keyword("CONSUME")?;
        let inputs = self.arcs()?;
        self.keyword("PRODUCE")?;
        let outputs = self.arcs()?;
        let (inhibitors, span) = (Vec::new(), name.span);
        let transition =
            NetTransition { name: name.text.to_owned(), inputs, outputs, inhibitors, fairness, span };
        self.net.add_transition(transition, name.text);
        Ok(())
    }

    fn arcs(&mut self) -> Checked<Vec<NetArc>> {
        let list = self.list()?;
        self.keyword(";")?;
        let arcs = list.into_iter().filter(|(_, weight, _)| *weight > 0);
        Ok(arcs.map(|(place, weight, _)| NetArc { place, weight }).collect())
    }

    fn keyword(&mut self, text: &str) -> Checked<()> {
        if self.words.eat(&[text]) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn name(&mut self, what: &str) -> Checked<Token<'text>> {
        let token = self.words.token();
        if matches!(token.text, "" | "," | ";" | ":" | "(" | ")" | "}") {
            return Err(self.unexpected(what));
        }
        self.words.advance();
        Ok(token)
    }

    fn number(&mut self) -> Checked<u32> {
        let token = self.words.token();
        match token.text.parse() {
            Ok(number) => {
                self.words.advance();
                Ok(number)
            }
            Err(_) if token.text.starts_with(|one: char| one.is_ascii_digit() || one == '-') => {
                Err(self.too_many(token.span))
            }
            Err(_) => Err(self.unexpected("a number")),
        }
    }

    fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.words.token();
        if HIGH_LEVEL.contains(&token.text) || matches!(token.text, "(" | ")") {
            return self.high_level(token.span);
        }
        // `PLACE p : sort` is also the start of a high-level net.
        if token.text == ":" {
            return self.high_level(token.span);
        }
        let help = "a net is `PLACE p, q; MARKING p: 1; TRANSITION t CONSUME p: 1; PRODUCE q: 1;`";
        self.diagnostics.report(self.words.unexpected(expected, help))
    }

    fn high_level(&mut self, span: Span) -> Reported {
        let message = "high-level nets of LoLA are not supported";
        let error = Diagnostic::error(codes::UNSUPPORTED_NET, span, message, "part of a high-level net");
        self.diagnostics.report(error.help("LoLA 1 can unfold it; coloured nets are read as PNML"))
    }

    fn too_many(&mut self, span: Span) -> Reported {
        let message = format!("not a number of tokens from 0 to {}", u32::MAX);
        let error = Diagnostic::error(codes::BAD_TOKEN_COUNT, span, message, "out of range");
        self.diagnostics.report(error.help("write fewer tokens"))
    }

    fn declared_twice(&mut self, name: Token<'_>, kind: &str) {
        let message = format!("two {kind}s are called `{}`", name.text);
        let error = Diagnostic::error(codes::DECLARED_TWICE, name.span, message, "the second one");
        self.diagnostics.report(error.help(format!("give each {kind} a name of its own")));
    }

    fn unknown_place(&mut self, name: Token<'_>) {
        let message = format!("the net has no place `{}`", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_NODE, name.span, message, "unknown place");
        let mut known: Vec<&str> = self.places.keys().copied().collect();
        known.sort_unstable();
        let help = did_you_mean(name.text, known);
        let help = help.unwrap_or_else(|| "declare it behind `PLACE`".to_owned());
        self.diagnostics.report(error.help(help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (&'static str, String) {
        let error = net(text).unwrap_err().swap_remove(0);
        (error.code, text[error.span.start as usize..error.span.end as usize].to_owned())
    }

    #[test]
    fn a_net_is_read() {
        let text = "PLACE p; SAFE: q; SAFE 3: r, SAFE; { c } MARKING p: 2, r, p; \
            TRANSITION t WEAK FAIR CONSUME p, q: 2, p; PRODUCE; TRANSITION p CONSUME ; PRODUCE SAFE: 0, r;";
        let net = net(text).unwrap();
        let places: Vec<(&str, u32)> = net.places.iter().map(|one| (one.name.as_str(), one.tokens)).collect();
        assert_eq!(places, [("p", 3), ("q", 0), ("r", 1), ("SAFE", 0)]);
        let arc = |place, weight| NetArc { place, weight };
        assert_eq!(net.transitions[0].inputs, [arc(0, 2), arc(1, 2)]);
        assert_eq!(net.transitions[0].fairness, Fairness::Weak);
        assert_eq!(net.transitions[1].outputs, [arc(2, 1)]);
    }

    #[test]
    fn a_task_may_follow() {
        let text = "PLACE p; MARKING; TRANSITION t CONSUME; PRODUCE p; FORMULA EF p > 1";
        assert_eq!(net(text).unwrap().task, text.find("FORMULA"));
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        assert_eq!(error(""), (codes::UNEXPECTED_TOKEN, String::new()));
        assert_eq!(error("PLACE p MARKING;"), (codes::UNEXPECTED_TOKEN, "MARKING".into()));
        assert_eq!(error("PLACE p, p; MARKING;"), (codes::DECLARED_TWICE, "p".into()));
        assert_eq!(error("PLACE p; MARKING q;"), (codes::UNKNOWN_NODE, "q".into()));
        assert_eq!(error("PLACE p; MARKING p: 4294967296;"), (codes::BAD_TOKEN_COUNT, "4294967296".into()));
        assert_eq!(error("PLACE p; MARKING p: 4294967295, p;"), (codes::BAD_TOKEN_COUNT, "p".into()));
        assert_eq!(error("SORT s = [1, 2];"), (codes::UNSUPPORTED_NET, "SORT".into()));
        assert_eq!(error("PLACE p: s; MARKING;"), (codes::UNSUPPORTED_NET, ":".into()));
        assert_eq!(
            error("PLACE p; MARKING; TRANSITION t VAR x: s; CONSUME; PRODUCE;"),
            (codes::UNSUPPORTED_NET, "VAR".into())
        );
    }
}
