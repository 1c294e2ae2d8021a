//! The drawing of a large state space: each layer is a circle whose area is proportional to its
//! number of states.
//!
//! The circles form a column in the order of progress. Forward edges are arcs to the right, regress
//! edges are dashed arcs to the left. The thickness grows with the logarithm of the number of
//! transitions.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::{Direction, Picture};
use crate::markup::{Escaped, cut};
use crate::quantities::{Count, States};
use crate::space::{LayerEdgeRecord, SpaceLayerRecord};

/// Maximum number of circles; neighbouring layers are merged beyond it.
const MOST_CIRCLES: usize = 240;
/// Radius of the largest circle, in pixels.
const RADIUS: f64 = 30.0;
/// Width of the picture, in pixels.
const WIDTH: f64 = 760.0;
/// Horizontal position of the centres, in pixels.
const MIDDLE: f64 = 380.0;

/// A circle: one layer, or several neighbouring ones.
struct Circle {
    name: String,
    layers: usize,
    states: u64,
    is_initial: bool,
    radius: f64,
    y: f64,
}

/// Draws the layers of a space.
pub fn picture(layers: &[SpaceLayerRecord]) -> Picture {
    let together = layers.len().div_ceil(MOST_CIRCLES).max(1);
    let (circles, height) = circles(layers, together);
    let mut markup = String::new();
    circles
        .iter()
        .try_for_each(|circle| band(&mut markup, circle))
        .and_then(|()| arcs(&mut markup, &circles, &joined_edges(layers, together)))
        .and_then(|()| circles.iter().try_for_each(|circle| draw(&mut markup, circle)))
        .expect("writing to a string cannot fail");
    Picture { width: WIDTH, height, arrow: 8.0, markup }
}

fn circles(layers: &[SpaceLayerRecord], together: usize) -> (Vec<Circle>, f64) {
    let sum = |group: &[SpaceLayerRecord]| group.iter().map(|one| one.states).fold(0, u64::saturating_add);
    let most = layers.chunks(together).map(sum).max().unwrap_or(1).max(1) as f64;
    let mut y = 12.0;
    let circle = |group: &[SpaceLayerRecord]| {
        let states = sum(group);
        let radius = (RADIUS * (states as f64 / most).sqrt()).max(2.0);
        y += radius.max(8.0);
        let name = group[0].value.clone().unwrap_or_else(|| group[0].progress.to_string());
        let is_initial = group.iter().any(|one| one.initial);
        let circle = Circle { name, layers: group.len(), states, is_initial, radius, y };
        y += radius.max(8.0) + 8.0;
        circle
    };
    let circles = layers.chunks(together).map(circle).collect();
    (circles, y + 12.0)
}

/// The transitions between circles.
fn joined_edges(layers: &[SpaceLayerRecord], together: usize) -> BTreeMap<(usize, usize), u64> {
    let mut edges = BTreeMap::new();
    for (from, layer) in layers.iter().enumerate() {
        for LayerEdgeRecord { to, count } in &layer.edges {
            let to = *to as usize;
            if to < layers.len() {
                let total: &mut u64 = edges.entry((from / together, to / together)).or_default();
                *total = total.saturating_add(*count);
            }
        }
    }
    edges
}

fn arcs(out: &mut String, circles: &[Circle], edges: &BTreeMap<(usize, usize), u64>) -> fmt::Result {
    for (&(from, to), &count) in edges.iter().filter(|((from, to), _)| from != to) {
        let kind = Direction::between(from, to).name();
        let side = if from < to { 1.0 } else { -1.0 };
        let (start, end) = (&circles[from], &circles[to]);
        let reach = (20.0 + (end.y - start.y).abs() * 0.45).min(210.0);
        let (x1, x2) = (MIDDLE + side * start.radius, MIDDLE + side * (end.radius + 1.5));
        let x = MIDDLE + side * (start.radius.max(end.radius) + reach);
        let width = 0.8 + (count.max(1) as f64).log10() * 0.5;
        write!(
            out,
            "<path class=\"edge {kind}\" stroke-width=\"{width:.2}\" marker-end=\"url(#space-{kind})\" \
             d=\"M{x1:.1},{:.1}C{x:.1},{:.1} {x:.1},{:.1} {x2:.1},{:.1}\"><title>{kind}: {} steps from {} to {}</title></path>",
            start.y,
            start.y,
            end.y,
            end.y,
            Count(count),
            Escaped(&cut(&start.name, 60)),
            Escaped(&cut(&end.name, 60))
        )?;
    }
    Ok(())
}

fn band(out: &mut String, circle: &Circle) -> fmt::Result {
    let half = circle.radius.max(8.0) + 2.0;
    let (y, width) = (circle.y - half, WIDTH - 8.0);
    let height = 2.0 * half;
    write!(
        out,
        "<rect class=\"band\" x=\"4\" y=\"{y:.1}\" width=\"{width}\" height=\"{height:.1}\" rx=\"6\"/>"
    )
}

fn draw(out: &mut String, circle: &Circle) -> fmt::Result {
    let Circle { name, layers, states, is_initial, radius, y } = circle;
    let class = if *is_initial { "state layer initial" } else { "state layer" };
    let more =
        if *layers > 1 { format!(" and {} layers more", Count(*layers as u64 - 1)) } else { String::new() };
    let (states, short) = (States(*states), cut(name, 16));
    let start = if *is_initial { ", initial" } else { "" };
    let (full, short) = (Escaped(name), Escaped(&short));
    write!(
        out,
        "<g class=\"{class}\"><title>progress {full}{more}: {states}{start}</title>\
         <circle class=\"body\" cx=\"{MIDDLE}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/></g>\
         <text x=\"14\" y=\"{:.1}\">{short}</text><text class=\"note\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{states}</text>",
        y + 4.0,
        WIDTH - 14.0,
        y + 4.0
    )
}
