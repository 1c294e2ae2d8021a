//! Petri nets as models: names in expressions, and no text that makes a reader panic.

use languages::petri::contest::{self, ContestQuestion};
use languages::petri::lola;
use languages::{Diagnostic, Format, Model, ReadOptions, codes, format, read_model_with};
use model::guarded_commands::{ActionId, CellId, Strength};
use proptest::prelude::*;

const LOLA: &str = "PLACE SAFE 3: p-1, idle, and; { c { d } } MARKING idle: 2; \
    TRANSITION go.[x=1] STRONG FAIR CONSUME idle; PRODUCE p-1; TRANSITION back CONSUME p-1; PRODUCE idle, and: 2;";

const PNML: &str = "<?xml version=\"1.0\"?><pnml xmlns=\"x\"><net id=\"n-1\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\
    <page id=\"g\"><place id=\"p\"><name><text>é</text></name><initialMarking><text>2</text></initialMarking></place>\
    <referencePlace id=\"r\" ref=\"q\"/><place id=\"q\"/><transition id=\"t\"/>\
    <arc id=\"1\" source=\"p\" target=\"t\"><inscription><text>1</text></inscription></arc>\
    <arc id=\"2\" source=\"t\" target=\"r\"/><arc id=\"3\" source=\"q\" target=\"t\" type=\"inhibitor\"/>\
    <toolspecific tool=\"nupn\" version=\"1.1\"><structure units=\"1\" root=\"u\" safe=\"false\"><unit id=\"u\"><places>p q</places>\
    <subunits/></unit></structure></toolspecific></page></net></pnml>";

const COLOURED: &str = "<pnml><net id=\"n\" type=\"symmetricnet\"><declaration><structure><declarations>\
    <namedsort id=\"s\" name=\"s\"><cyclicenumeration><feconstant id=\"a\" name=\"a\"/><feconstant id=\"b\" name=\"b\"/></cyclicenumeration></namedsort>\
    <namedsort id=\"r\" name=\"r\"><finiteintrange start=\"1\" end=\"3\"/></namedsort>\
    <namedsort id=\"sr\" name=\"sr\"><productsort><usersort declaration=\"s\"/><usersort declaration=\"r\"/></productsort></namedsort>\
    <partition id=\"h\" name=\"h\"><usersort declaration=\"s\"/><partitionelement id=\"h1\" name=\"h1\"><useroperator declaration=\"a\"/></partitionelement>\
    <partitionelement id=\"h2\" name=\"h2\"><useroperator declaration=\"b\"/></partitionelement></partition>\
    <variabledecl id=\"x\" name=\"x\"><usersort declaration=\"s\"/></variabledecl><variabledecl id=\"i\" name=\"i\"><usersort declaration=\"r\"/></variabledecl>\
    </declarations></structure></declaration><page id=\"g\">\
    <place id=\"p\"><type><structure><usersort declaration=\"sr\"/></structure></type><hlinitialMarking><structure><tuple><subterm><all><usersort declaration=\"s\"/></all></subterm>\
    <subterm><finiteintrangeconstant value=\"2\"><finiteintrange start=\"1\" end=\"3\"/></finiteintrangeconstant></subterm></tuple></structure></hlinitialMarking></place>\
    <transition id=\"t\"><condition><structure><or><subterm><equality><subterm><partitionelementof refpartition=\"h\"><subterm><variable refvariable=\"x\"/></subterm></partitionelementof></subterm>\
    <subterm><useroperator declaration=\"h1\"/></subterm></equality></subterm><subterm><not><subterm><greaterthan><subterm><variable refvariable=\"i\"/></subterm>\
    <subterm><predecessor><subterm><variable refvariable=\"i\"/></subterm></predecessor></subterm></greaterthan></subterm></not></subterm></or></structure></condition></transition>\
    <arc id=\"1\" source=\"p\" target=\"t\"><hlinscription><structure><add><subterm><numberof><subterm><numberconstant value=\"1\"><positive/></numberconstant></subterm>\
    <subterm><tuple><subterm><variable refvariable=\"x\"/></subterm><subterm><variable refvariable=\"i\"/></subterm></tuple></subterm></numberof></subterm></add></structure></hlinscription></arc>\
    </page></net></pnml>";

const PROPERTIES: &str = "<property-set><property><id>n-CTLCardinality-00</id><formula><all-paths><until><before><integer-le><tokens-count><place>p</place></tokens-count>\
    <integer-constant>3</integer-constant></integer-le></before><reach><exists-path><next><negation><is-fireable><transition>t</transition></is-fireable></negation></next></exists-path></reach></until></all-paths></formula></property>\
    <property><id>b</id><formula><place-bound><place>q</place></place-bound></formula></property></property-set>";

const TASK: &str = "FORMULA ALLPATH (p + q <= 3 UNTIL EXPATH NEXTSTATE NOT FIREABLE(t)) OR DEADLOCK -> EF (INITIAL AND 2 * p != q);";

fn read(text: &str, format: &'static Format) -> Result<Model, Vec<Diagnostic>> {
    read_model_with(text, &ReadOptions { format, ..ReadOptions::default() })
}

#[test]
fn places_are_variables_and_transitions_are_actions() {
    let model = read(LOLA, &format::LOLA).unwrap();
    let names: Vec<String> = (0..3).map(|cell| model.commands.cell_name(CellId(cell))).collect();
    assert_eq!(names, ["p-1", "idle", "and"]);
    assert_eq!(model.commands.action_name(ActionId(0)), "go.[x=1]");
    assert_eq!(model.commands.fair_actions, [(ActionId(0), Strength::Strong)]);
    assert_eq!(model.format.name, "lola");
}

#[test]
fn names_that_are_no_words_are_quoted() {
    let model = read(LOLA, &format::LOLA).unwrap();
    assert!(model.expression("idle + \"p-1\" <= 2 and \"and\" >= 0").is_ok());
    let formula = model.ltl("G (\"p-1\" >= 1 -> F idle == 2)").unwrap();
    assert_eq!(formula.propositions.len(), 2);
    // A text in quotes that is not the name of a place is still an expression.
    assert!(model.ctl("AG (\"idle >= 0\")").is_ok());
    let measure = model.measure("(\"and\", idle)").unwrap();
    assert_eq!(model.measure_text(&measure.components), "(\"and\", idle)");
    assert_eq!(model.expression("\"p-2\" > 0").unwrap_err()[0].code, codes::UNKNOWN_NAME);
    assert_eq!(model.expression("\"p-1 > 0").unwrap_err()[0].code, codes::UNCLOSED_QUOTATION);
}

#[test]
fn bounded_places_have_narrow_types() {
    let model = read(PNML, &format::PNML).unwrap();
    let bits: Vec<u8> = model.commands.cells.iter().map(|cell| cell.declared.bits).collect();
    // Two places that share two tokens, and the location that does not change.
    assert_eq!(bits[..2], [2, 2]);
}

#[test]
fn a_net_has_no_constants() {
    let options =
        ReadOptions { format: &format::LOLA, constants: vec![("N".into(), 2)], ..ReadOptions::default() };
    assert_eq!(read_model_with(LOLA, &options).unwrap_err()[0].code, codes::UNKNOWN_CONSTANT);
}

#[test]
fn coloured_nets_and_their_properties_are_read() {
    let model = read(COLOURED, &format::PNML).unwrap();
    let net = model.net().unwrap();
    let places: Vec<(&str, u32)> = net.places.iter().map(|one| (one.name.as_str(), one.tokens)).collect();
    assert_eq!(places, [("p(a,2)", 1), ("p(b,2)", 1)]);
    // Only where there are tokens; and with `b` only where a number is not above its predecessor,
    // as 2 is.
    let names: Vec<&str> = net.transitions.iter().map(|transition| transition.name.as_str()).collect();
    assert_eq!(names, ["t(a,2)"]);
    let tokens = "<property-set><property><id>b</id><formula><place-bound><place>p</place></place-bound></formula></property></property-set>";
    let question = contest::properties(&model, tokens).unwrap().swap_remove(0).question;
    assert!(matches!(question, ContestQuestion::Bound(_)));
}

/// Every finding about a text has a place in it.
fn are_proper(errors: &[Diagnostic], text: &str) -> Result<(), TestCaseError> {
    prop_assert!(!errors.is_empty());
    for error in errors {
        let place = text.get(error.span.start as usize..error.span.end as usize);
        prop_assert!(place.is_some(), "{error}: {:?}", error.span);
        prop_assert!(error.help.is_some(), "{error} has no advice");
    }
    Ok(())
}

/// The text with some of its pieces deleted, doubled or swapped.
fn damaged(text: &str, damages: &[(usize, usize, u8)]) -> String {
    let starts = |one: &char| matches!(one, '<' | '>' | ' ' | '"' | ';' | ',' | '(' | ')');
    let mut pieces: Vec<String> = vec![String::new()];
    for one in text.chars() {
        if starts(&one) {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(one);
    }
    for (from, to, kind) in damages {
        let (from, to) = (from % pieces.len(), to % pieces.len());
        match kind % 4 {
            0 => pieces[from].clear(),
            1 => pieces.swap(from, to),
            2 => pieces[from] = pieces[to].clone(),
            _ => pieces.truncate(from.max(1)),
        }
    }
    pieces.concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_nets_are_read_or_refused(
        which in 0..3_usize,
        damages in prop::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 1..5),
    ) {
        let (text, language) = [(LOLA, &format::LOLA), (PNML, &format::PNML), (COLOURED, &format::PNML)][which];
        let text = damaged(text, &damages);
        if let Err(errors) = read(&text, language) {
            are_proper(&errors, &text)?;
        }
    }

    #[test]
    fn damaged_properties_are_read_or_refused(
        damages in prop::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 1..5),
    ) {
        let model = read(PNML, &format::PNML).unwrap();
        let text = damaged(PROPERTIES, &damages);
        if let Err(errors) = contest::properties(&model, &text) {
            are_proper(&errors, &text)?;
        }
        let text = damaged(TASK, &damages);
        if let Err(errors) = lola::task(&model, &text) {
            are_proper(&errors, &text)?;
        }
    }

    #[test]
    fn random_texts_are_refused(text in "\\PC{0,60}") {
        for language in [&format::LOLA, &format::PNML] {
            if let Err(errors) = read(&text, language) {
                are_proper(&errors, &text)?;
            }
        }
        let model = read(PNML, &format::PNML).unwrap();
        if let Err(errors) = lola::task(&model, &text) {
            are_proper(&errors, &text)?;
        }
    }
}
