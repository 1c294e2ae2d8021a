//! A state space drawn by layers, as a picture in SVG.
//!
//! Layers are bands, in order of progress from top to bottom, so that a step forward leads down, and what leads up is
//! a regress edge: dashed, and in a colour of its own. Of a space with very many states, each layer is one circle, with an
//! area that shows how many states it has. The picture stands on its own and follows light and dark; on the web page the
//! same markup is under the page's style, and the sweep walks over it.

mod layer_picture;
mod placement;
mod state_picture;

use std::fmt::{self, Write};

use crate::markup::Escaped;
use crate::quantities::{Count, States};
use crate::space::SpaceRecord;

/// How a picture looks; the web page has it among its own styles.
pub(crate) const STYLE: &str = include_str!("space_drawing/drawing.css");

/// The picture of a state space, as the text of an SVG file.
///
/// ```
/// use report::{SpaceRecord, SpaceStateRecord, svg};
///
/// let start = SpaceStateRecord { initial: true, ..SpaceStateRecord::default() };
/// let space = SpaceRecord { states: vec![start], complete: true, ..SpaceRecord::default() };
/// assert!(svg(&space).starts_with("<svg xmlns="));
/// ```
pub fn svg(space: &SpaceRecord) -> String {
    draw(space, &format!("<style>{STYLE}</style>"))
}

/// The same without a style of its own, for a page that has it already.
pub(crate) fn svg_in_page(space: &SpaceRecord) -> String {
    draw(space, "")
}

/// Whether each state is in the picture, and not only each layer.
pub(crate) fn shows_states(space: &SpaceRecord) -> bool {
    !space.states.is_empty() && space.states.len() <= SpaceRecord::MOST_STATES
}

fn draw(space: &SpaceRecord, style: &str) -> String {
    let picture = match shows_states(space) {
        true => state_picture::picture(space),
        false => layer_picture::picture(&space.by_layers()),
    };
    let mut text = String::new();
    frame(&mut text, space, &picture, style).expect("writing to a string cannot fail");
    text
}

/// What is drawn, and how large it is.
struct Picture {
    width: f64,
    height: f64,
    /// The length of an arrowhead.
    arrow: f64,
    markup: String,
}

fn frame(out: &mut String, space: &SpaceRecord, picture: &Picture, style: &str) -> fmt::Result {
    let Picture { width, height, arrow, markup } = picture;
    let description = describe(space);
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"space-drawing\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{}\">{style}",
        Escaped(&description)
    )?;
    write!(out, "<defs>")?;
    for kind in ["forward", "stationary", "regress"] {
        write!(
            out,
            "<marker id=\"space-{kind}\" class=\"{kind}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
             markerUnits=\"userSpaceOnUse\" markerWidth=\"{arrow}\" markerHeight=\"{arrow}\" orient=\"auto\"><path d=\"M0,0.8L7.5,4L0,7.2z\"/></marker>"
        )?;
    }
    write!(out, "</defs>{markup}</svg>")
}

fn describe(space: &SpaceRecord) -> String {
    let layers = space.by_layers();
    let states = layers.iter().map(|layer| layer.states).fold(0, u64::saturating_add);
    let back = layers.iter().enumerate().flat_map(|(from, layer)| {
        layer.edges.iter().filter(move |edge| (edge.to as usize) < from).map(|edge| edge.count)
    });
    let back = back.fold(0, u64::saturating_add);
    let part = if space.complete { "State space" } else { "Part of a state space" };
    let bands = if layers.len() == 1 { "layer" } else { "layers" };
    let edges = if back == 1 { "edge" } else { "edges" };
    format!(
        "{part}: {} in {} {bands}, in order of progress from top to bottom; {} regress {edges}",
        States(states),
        Count(layers.len() as u64),
        Count(back)
    )
}

/// Which way a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Stationary,
    Regress,
}

impl Direction {
    fn between(from: usize, to: usize) -> Self {
        match from.cmp(&to) {
            std::cmp::Ordering::Less => Self::Forward,
            std::cmp::Ordering::Equal => Self::Stationary,
            std::cmp::Ordering::Greater => Self::Regress,
        }
    }

    /// The word, also as the name of the style and the arrowhead.
    fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Stationary => "stationary",
            Self::Regress => "regress",
        }
    }
}
