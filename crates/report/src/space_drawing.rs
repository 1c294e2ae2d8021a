//! A state space drawn by layers, as SVG.
//!
//! Layers are bands, in the order of progress from top to bottom. A forward edge leads down; a
//! regress edge leads up, and is dashed and in a colour of its own. In a large state space, each
//! layer is one circle whose area is proportional to its number of states. The picture is
//! self-contained and adapts to light and dark themes. The web page uses the same markup with its
//! own style, and animates the sweep over it.

mod layer_picture;
mod placement;
mod state_picture;

use std::fmt::{self, Write};

use crate::markup::Escaped;
use crate::quantities::{Count, States};
use crate::space::SpaceRecord;

/// Style of the picture; the web page includes it in its own style.
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

/// The same without a style, for the web page, which has it.
pub(crate) fn svg_in_page(space: &SpaceRecord) -> String {
    draw(space, "")
}

/// Whether the picture shows states, not only layers.
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

/// A drawing and its size.
struct Picture {
    width: f64,
    height: f64,
    /// Length of an arrowhead, in pixels.
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

/// Direction of a transition.
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

    /// The name, also of the style and the arrowhead.
    fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Stationary => "stationary",
            Self::Regress => "regress",
        }
    }
}
