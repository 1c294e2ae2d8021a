//! A PNML document as written: nodes, arcs, references, units.
//!
//! The document is read as a stream. Of each node only the parts with a meaning are kept.

use model::guarded_commands::Span;

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::petri::xml::{Document, Element, Piece};

/// Elements without a meaning, such as graphics.
const WITHOUT_MEANING: [&str; 3] = ["graphics", "toolspecific", "name"];

/// The kind of a net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NetKind {
    /// Tokens without colours.
    #[default]
    PlaceTransition,
    /// Tokens have colours.
    Symmetric,
}

/// A net as written.
#[derive(Debug, Default)]
pub(super) struct WrittenNet {
    pub(super) name: String,
    pub(super) kind: NetKind,
    pub(super) places: Vec<Node>,
    pub(super) transitions: Vec<Node>,
    pub(super) arcs: Vec<WrittenArc>,
    /// Reference nodes: their name, and the name of their target.
    pub(super) references: Vec<(String, String, Span)>,
    /// The sorts and variables of a coloured net.
    pub(super) declarations: Vec<Element>,
    pub(super) units: Vec<WrittenUnit>,
    pub(super) claimed_safe: bool,
}

/// A place or a transition.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) span: Span,
    /// The marking of a place, the condition of a transition, and other content.
    pub(super) parts: Vec<Element>,
}

impl Node {
    pub(super) fn part(&self, name: &str) -> Option<&Element> {
        self.parts.iter().find(|part| part.name == name)
    }
}

/// An arc.
#[derive(Debug)]
pub(super) struct WrittenArc {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) span: Span,
    pub(super) inhibits: bool,
    /// Its weight.
    pub(super) inscription: Option<Element>,
}

/// A unit of a nested-unit net.
#[derive(Debug)]
pub(super) struct WrittenUnit {
    pub(super) places: Vec<String>,
    pub(super) span: Span,
}

/// Reads a document with one net.
pub(super) fn document(text: &str) -> Result<WrittenNet, Diagnostic> {
    let mut document = Document::new(text);
    let mut found = None;
    let mut root = None;
    loop {
        match document.next()? {
            Piece::Opening(element) if root.is_none() => {
                if element.name != "pnml" {
                    return Err(not_a_net(element.span, &element.name));
                }
                root = Some(element.span);
            }
            Piece::Opening(element) if element.name == "net" => {
                if found.is_some() {
                    return Err(second_net(element.span));
                }
                found = Some(net(element, &mut document)?);
            }
            Piece::Opening(_) => document.skip()?,
            Piece::End => break,
            Piece::Text(..) | Piece::Closing => {}
        }
    }
    found.ok_or_else(|| {
        let place = root.unwrap_or(Span::new(0, text.len()));
        let error =
            Diagnostic::error(codes::NOT_A_NET, place, "there is no net in this text", "expected `<net>`");
        error.help("a document of PNML holds `<pnml><net id=\"…\" type=\"…\">…</net></pnml>`")
    })
}

fn not_a_net(span: Span, name: &str) -> Diagnostic {
    let message = format!("the root element is `{name}`, and that of a net is `pnml`");
    let error = Diagnostic::error(codes::NOT_A_NET, span, message, "expected `<pnml>`");
    let help = if name == "property-set" {
        "this file holds properties: read the net as the model, and this file as its properties"
    } else {
        "is this the file of a net?"
    };
    error.help(help)
}

fn second_net(span: Span) -> Diagnostic {
    let message = "a second net in one document";
    let error = Diagnostic::error(codes::UNSUPPORTED_NET, span, message, "only one net can be read");
    error.help("put each net into a file of its own")
}

fn net(opening: Element, document: &mut Document<'_>) -> Result<WrittenNet, Diagnostic> {
    let kind = kind(&opening)?;
    let name = opening.attribute("id").unwrap_or("net").to_owned();
    let mut net = WrittenNet { name, kind, ..WrittenNet::default() };
    page(&mut net, document)?;
    Ok(net)
}

fn kind(net: &Element) -> Result<NetKind, Diagnostic> {
    let described = net.attribute("type").unwrap_or("ptnet");
    let last = described.rsplit('/').next().unwrap_or(described).to_ascii_lowercase();
    match last.as_str() {
        "ptnet" | "pnmlcoremodel" | "pt-net" | "t net" => Ok(NetKind::PlaceTransition),
        "symmetricnet" => Ok(NetKind::Symmetric),
        _ => {
            let message = format!("nets of the type `{described}` are not supported");
            let error = Diagnostic::error(codes::UNSUPPORTED_NET, net.span, message, "another type");
            Err(error
                .help("place/transition nets (`…/ptnet`) and symmetric nets (`…/symmetricnet`) are read"))
        }
    }
}

/// Reads the rest of a net, whose pages may be nested.
fn page(net: &mut WrittenNet, document: &mut Document<'_>) -> Result<(), Diagnostic> {
    let mut depth = 1_usize;
    while depth > 0 {
        let element = match document.next()? {
            Piece::Opening(element) => element,
            Piece::Closing => {
                depth -= 1;
                continue;
            }
            Piece::Text(..) => continue,
            Piece::End => break,
        };
        match element.name.as_str() {
            "page" => depth += 1,
            "place" => net.places.push(node(element, document)?),
            "transition" => net.transitions.push(node(element, document)?),
            "arc" => net.arcs.push(arc(element, document)?),
            "referencePlace" | "referenceTransition" => {
                let names = (element.required("id")?.to_owned(), element.required("ref")?.to_owned());
                net.references.push((names.0, names.1, element.span));
                document.skip()?;
            }
            "declaration" if net.kind == NetKind::Symmetric => {
                net.declarations.push(document.rest_of(element)?);
            }
            "toolspecific" if element.attribute("tool") == Some("nupn") => {
                let units = document.rest_of(element)?;
                structure(&units, net)?;
            }
            _ => document.skip()?,
        }
    }
    Ok(())
}

fn node(opening: Element, document: &mut Document<'_>) -> Result<Node, Diagnostic> {
    let id = opening.required("id")?.to_owned();
    let span = opening.span;
    let parts = parts(document)?;
    Ok(Node { id, span, parts })
}

/// Reads the content of an element that was opened, except for parts without a meaning.
fn parts(document: &mut Document<'_>) -> Result<Vec<Element>, Diagnostic> {
    let mut parts = Vec::new();
    loop {
        match document.next()? {
            Piece::Opening(part) if WITHOUT_MEANING.contains(&part.name.as_str()) => document.skip()?,
            Piece::Opening(part) => parts.push(document.rest_of(part)?),
            Piece::Text(..) => {}
            Piece::Closing | Piece::End => return Ok(parts),
        }
    }
}

fn arc(opening: Element, document: &mut Document<'_>) -> Result<WrittenArc, Diagnostic> {
    let (source, target) = (opening.required("source")?.to_owned(), opening.required("target")?.to_owned());
    let mut parts = parts(document)?;
    let inside = parts.iter().find(|part| part.name == "type" || part.name == "arctype");
    let inside = inside.map(|part| match (part.attribute("value"), part.child("text")) {
        (Some(value), _) => value,
        (None, Some(text)) => text.text.trim(),
        (None, None) => part.text.trim(),
    });
    let inhibits = match opening.attribute("type").or(inside).unwrap_or("normal") {
        "normal" => false,
        "inhibitor" => true,
        other => {
            let message = format!("arcs of the type `{other}` are not supported");
            let error =
                Diagnostic::error(codes::UNSUPPORTED_NET, opening.span, message, "another kind of arc");
            return Err(
                error.help("arcs are `normal` or `inhibitor`; one that only tests is a pair of normal ones")
            );
        }
    };
    let place = parts.iter().position(|part| ["inscription", "hlinscription"].contains(&part.name.as_str()));
    let inscription = place.map(|place| parts.swap_remove(place));
    Ok(WrittenArc { source, target, span: opening.span, inhibits, inscription })
}

/// The units of a nested-unit net. Places of one unit are separated by blanks.
fn structure(tool: &Element, net: &mut WrittenNet) -> Result<(), Diagnostic> {
    let Some(structure) = tool.child("structure") else { return Ok(()) };
    net.claimed_safe |= structure.attribute("safe") == Some("true");
    for unit in structure.children.iter().filter(|unit| unit.name == "unit") {
        let places = unit.child("places").ok_or_else(|| unit.incomplete("its `places`"))?;
        let places = places.text.split_whitespace().map(str::to_owned).collect();
        net.units.push(WrittenUnit { places, span: unit.span });
    }
    Ok(())
}
