//! Reading PNML, and refusing what is not supported.

use super::*;
use crate::codes;
use crate::petri::net::NetArc;

/// A document with a net of this content.
fn document(inside: &str) -> String {
    format!(
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">{inside}</net></pnml>"
    )
}

fn error(inside: &str) -> (&'static str, String) {
    let text = document(inside);
    let error = net(&text).unwrap_err().swap_remove(0);
    (error.code, text[error.span.start as usize..error.span.end as usize].to_owned())
}

#[test]
fn pages_references_weights_and_inhibitors_are_read() {
    let text = document(
        "<name><text>A net</text></name>
        <page id='a'>
          <place id='p'><graphics/><initialMarking><text> 3 </text></initialMarking></place>
          <page id='b'><referencePlace id='r' ref='q'/><referencePlace id='s' ref='r'/>
            <transition id='t'><name><text>x</text></name></transition>
            <arc id='1' source='p' target='t'><inscription><text>2</text></inscription></arc>
            <arc id='2' source='t' target='s'/><arc id='3' source='t' target='q'/>
          </page>
          <place id='q'/>
          <transition id='u'/>
          <arc id='4' source='q' target='u' type='inhibitor'/>
          <arc id='5' source='p' target='u'><type value='inhibitor'/><inscription><text>4</text></inscription></arc>
        </page>",
    );
    let net = net(&text).unwrap();
    let arc = |place, weight| NetArc { place, weight };
    assert_eq!(net.places.iter().map(|place| place.tokens).collect::<Vec<_>>(), [3, 0]);
    assert_eq!(
        (&net.transitions[0].inputs[..], &net.transitions[0].outputs[..]),
        (&[arc(0, 2)][..], &[arc(1, 2)][..])
    );
    assert_eq!(net.transitions[1].inhibitors, [arc(0, 4), arc(1, 1)]);
    assert!(!net.claimed_safe);
}

#[test]
fn units_are_read() {
    let net = net(&document(
        "<page id='a'><place id='p'/><place id='q'/><toolspecific tool='nupn' version='1.1'>
         <structure units='2' root='u' safe='true'><unit id='u'><places/><subunits>v</subunits></unit>
         <unit id='v'><places>q p</places><subunits/></unit></structure></toolspecific></page>",
    ))
    .unwrap();
    assert!(net.claimed_safe);
    assert_eq!(net.units.iter().map(|unit| unit.places.clone()).collect::<Vec<_>>(), [vec![], vec![1, 0]]);
}

#[test]
fn mistakes_are_reported_with_their_place() {
    assert_eq!(error("<page><place/></page>"), (codes::MISSING_PART, "<place/>".into()));
    assert_eq!(error("<place id='p'/><place id='p'/>").0, codes::DECLARED_TWICE);
    assert_eq!(error("<place id='p'/><arc source='p' target='t'/>").0, codes::UNKNOWN_NODE);
    assert_eq!(error("<place id='p'/><arc source='p' target='p'/>").0, codes::BAD_ARC);
    assert_eq!(error("<referencePlace id='p' ref='p'/>").0, codes::UNKNOWN_NODE);
    let marked = |text| format!("<place id='p'><initialMarking><text>{text}</text></initialMarking></place>");
    assert_eq!(error(&marked("-1")), (codes::BAD_TOKEN_COUNT, "-1".into()));
    assert_eq!(error(&marked("4294967296")).0, codes::BAD_TOKEN_COUNT);
    assert_eq!(
        error("<place id='p'/><transition id='t'/><arc source='p' target='t' type='reset'/>").0,
        codes::UNSUPPORTED_NET
    );
    assert_eq!(error("<place id='p'>").0, codes::MALFORMED_XML);
}

#[test]
fn other_documents_are_recognised() {
    let code = |text: &str| net(text).unwrap_err()[0].code;
    assert_eq!(code(""), codes::NOT_A_NET);
    assert_eq!(code("<pnml/>"), codes::NOT_A_NET);
    assert_eq!(code("<property-set/>"), codes::NOT_A_NET);
    assert_eq!(code("<pnml><net id='n' type='http://x/timednet'/></pnml>"), codes::UNSUPPORTED_NET);
    assert_eq!(code("<pnml><net id='n'/><net id='m'/></pnml>"), codes::UNSUPPORTED_NET);
}

/// A symmetric net with cyclic colours `a`, `b`, `c`, and this content.
fn symmetric(inside: &str) -> String {
    format!(
        "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'><declaration><structure><declarations>
         <namedsort id='pair' name='pair'><productsort><usersort declaration='ring'/><usersort declaration='few'/></productsort></namedsort>
         <namedsort id='ring' name='ring'><cyclicenumeration><feconstant id='ra' name='a'/><feconstant id='rb' name='b'/><feconstant id='rc' name='c'/></cyclicenumeration></namedsort>
         <namedsort id='few' name='few'><finiteintrange start='1' end='2'/></namedsort>
         <namedsort id='dot' name='dot'><dot/></namedsort>
         <variabledecl id='x' name='x'><usersort declaration='ring'/></variabledecl>
         <variabledecl id='i' name='i'><usersort declaration='few'/></variabledecl>
         </declarations></structure></declaration><page id='g'>{inside}</page></net></pnml>"
    )
}

fn place(id: &str, sort: &str, marking: &str) -> String {
    format!(
        "<place id='{id}'><type><structure><usersort declaration='{sort}'/></structure></type>
         <hlinitialMarking><structure>{marking}</structure></hlinitialMarking></place>"
    )
}

const X: &str = "<variable refvariable='x'/>";

#[test]
fn colours_are_unfolded() {
    let next = format!("<successor><subterm>{X}</subterm></successor>");
    let tuple =
        format!("<tuple><subterm>{next}</subterm><subterm><variable refvariable='i'/></subterm></tuple>");
    let twice = |term: &str| {
        format!(
            "<numberof><subterm><numberconstant value='2'><positive/></numberconstant></subterm><subterm>{term}</subterm></numberof>"
        )
    };
    let text = symmetric(&format!(
        "{}{}{}<transition id='t'><condition><structure><inequality><subterm>{X}</subterm>\
         <subterm><useroperator declaration='rc'/></subterm></inequality></structure></condition></transition>
         <arc id='1' source='p' target='t'><hlinscription><structure>{}</structure></hlinscription></arc>
         <arc id='2' source='t' target='q'><hlinscription><structure>{tuple}</structure></hlinscription></arc>
         <arc id='3' source='t' target='r'/>",
        place("p", "ring", "<all><usersort declaration='ring'/></all>"),
        place("q", "pair", ""),
        place("r", "dot", &twice("<dotconstant/>")),
        twice(X),
    ));
    let net = net(&text).unwrap();
    let places: Vec<(&str, u32)> = net.places.iter().map(|one| (one.name.as_str(), one.tokens)).collect();
    assert_eq!(places[..4], [("p(a)", 1), ("p(b)", 1), ("p(c)", 1), ("q(b,1)", 0)]);
    // Nothing is ever put on `q(a,1)` and `q(a,2)`.
    assert_eq!(places[7], ("r", 2));
    let names: Vec<&str> = net.transitions.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["t(a,1)", "t(a,2)", "t(b,1)", "t(b,2)"]);
    let arc = |place, weight| NetArc { place, weight };
    assert_eq!(net.transitions[1].inputs, [arc(0, 2)]);
    // From `a` to its successor `b`, with the number 2.
    assert_eq!(net.transitions[1].outputs, [arc(4, 1), arc(7, 1)]);
    assert_eq!(net.places_named("q"), Some(&[3, 4, 5, 6][..]));
    assert_eq!(net.transitions_named("t"), Some(&[0, 1, 2, 3][..]));
}

#[test]
fn mistakes_in_terms_are_reported() {
    let code = |inside: &str| net(&symmetric(inside)).unwrap_err()[0].code;
    assert_eq!(code(&place("p", "sort", "")), codes::UNKNOWN_NAME);
    assert_eq!(code(&place("p", "ring", "<useroperator declaration='rd'/>")), codes::UNKNOWN_NAME);
    assert_eq!(code(&place("p", "ring", "<dotconstant/>")), codes::UNSUPPORTED_NET);
    assert_eq!(code(&place("p", "ring", X)), codes::MISSING_PART);
    assert_eq!(code(&place("p", "ring", "<list/>")), codes::UNSUPPORTED_NET);
    let huge = "<place id='p'><type><structure><finiteintrange start='1' end='99999999999'/></structure></type></place>";
    assert_eq!(code(huge), codes::NET_TOO_LARGE);
}
