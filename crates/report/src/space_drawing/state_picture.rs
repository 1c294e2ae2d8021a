//! The drawing of a small state space: each state is a circle, and a curve connects two states with
//! transitions between them.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::placement::{Placement, Point, place};
use super::{Direction, Picture};
use crate::markup::{Escaped, cut};
use crate::quantities::States;
use crate::space::{SpaceRecord, SpaceStateRecord};

/// Number of values of a state, or actions of an edge, in a tooltip.
const SHOWN: usize = 24;
/// Number of edges from which arrowheads would hide more than they show.
const MOST_ARROWS: usize = 1_500;
/// Number of states from which there is no space for their numbers.
const MOST_NUMBERS: usize = 80;

/// Draws the states of a space.
pub fn picture(space: &SpaceRecord) -> Picture {
    let layers = space.by_layers();
    let places: BTreeMap<u64, usize> = layers.iter().map(|layer| layer.progress).zip(0..).collect();
    let layer_of: Vec<usize> = space.states.iter().map(|state| places[&state.progress]).collect();
    let edges = edges(space);
    let pairs: Vec<(usize, usize)> = edges.keys().copied().collect();
    let placement = place(space, &layer_of, &pairs);
    let mut markup = String::new();
    let drawing = Drawing { space, layer_of: &layer_of, placement: &placement };
    let bands =
        layers.iter().map(|layer| (layer.value.clone().unwrap_or(layer.progress.to_string()), layer.states));
    drawing
        .bands(&mut markup, bands)
        .and_then(|()| drawing.edges(&mut markup, &edges))
        .and_then(|()| drawing.states(&mut markup))
        .expect("writing to a string cannot fail");
    let arrow = (placement.scale.radius * 0.8).clamp(4.0, 8.0);
    Picture { width: placement.width, height: placement.height, arrow, markup }
}

/// The actions between each pair of connected states.
fn edges(space: &SpaceRecord) -> BTreeMap<(usize, usize), Vec<&str>> {
    let mut edges: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for edge in &space.edges {
        let (from, to) = (edge.from as usize, edge.to as usize);
        if from < space.states.len() && to < space.states.len() {
            edges.entry((from, to)).or_default().push(&edge.action);
        }
    }
    edges
}

struct Drawing<'a> {
    space: &'a SpaceRecord,
    layer_of: &'a [usize],
    placement: &'a Placement,
}

impl Drawing<'_> {
    fn bands(&self, out: &mut String, layers: impl Iterator<Item = (String, u64)>) -> fmt::Result {
        let width = self.placement.width - 8.0;
        for (band, (value, states)) in self.placement.bands.iter().zip(layers) {
            let (top, height, middle) = (band.top, band.height, band.top + band.height / 2.0);
            write!(
                out,
                "<rect class=\"band\" x=\"4\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>"
            )?;
            let (name, states) = (cut(&value, 16), States(states));
            let full = Escaped(&value);
            // A narrow band has one line, with the progress value.
            let two_lines = height >= 36.0;
            let y = if two_lines { middle - 3.0 } else { middle + 4.0 };
            write!(
                out,
                "<text x=\"14\" y=\"{y:.1}\">{}<title>progress {full}, {states}</title></text>",
                Escaped(&name)
            )?;
            if two_lines {
                write!(out, "<text class=\"note\" x=\"14\" y=\"{:.1}\">{states}</text>", middle + 12.0)?;
            }
        }
        Ok(())
    }

    fn edges(&self, out: &mut String, edges: &BTreeMap<(usize, usize), Vec<&str>>) -> fmt::Result {
        let has_arrows = edges.len() <= MOST_ARROWS;
        for (&(from, to), actions) in edges {
            let direction = Direction::between(self.layer_of[from], self.layer_of[to]);
            let kind = direction.name();
            let arrow =
                if has_arrows { format!(" marker-end=\"url(#space-{kind})\"") } else { String::new() };
            let path = self.path(from, to);
            write!(out, "<path class=\"edge {kind}\" data-from=\"{from}\" d=\"{path}\"{arrow}><title>")?;
            write!(out, "{kind}: {from} to {to}")?;
            list(out, actions.iter().map(|action| (*action).to_owned()), actions.len())?;
            write!(out, "</title></path>")?;
        }
        Ok(())
    }

    /// The curve of an edge. A forward edge leads straight down; others curve around the states
    /// between.
    fn path(&self, from: usize, to: usize) -> String {
        let radius = self.placement.scale.radius;
        let (start, end) = (self.placement.states[from], self.placement.states[to]);
        let (dx, dy) = (end.x - start.x, end.y - start.y);
        if from == to {
            let Point { x, y } = start;
            let (near, far) = (radius * 0.8, radius * 2.4);
            let (x1, y1, y2) = (x + near, y - near, y + near * 0.6);
            return format!(
                "M{x1:.1},{y1:.1}C{:.1},{:.1} {:.1},{:.1} {:.1},{y2:.1}",
                x + far,
                y - far,
                x + far,
                y + near,
                x + radius + 1.0
            );
        }
        if dy > 1.0 {
            let (y1, y2) = (start.y + radius, end.y - radius - 1.0);
            let bend = (y2 - y1) * 0.45;
            // An edge that crosses other rows passes between their states.
            let passes = dy > 1.5 * self.placement.scale.down && dx.abs() < self.placement.scale.across;
            let side = if from.is_multiple_of(2) { 0.6 } else { -0.6 };
            let aside = if passes { side * self.placement.scale.across } else { 0.0 };
            return format!(
                "M{:.1},{y1:.1}C{:.1},{:.1} {:.1},{:.1} {:.1},{y2:.1}",
                start.x,
                start.x + aside,
                y1 + bend,
                end.x + aside,
                y2 - bend,
                end.x
            );
        }
        if dy.abs() <= 1.0 {
            let lift = (dx.abs() * 0.25).clamp(8.0, self.placement.scale.down * 0.42) + radius;
            let side = radius * 0.7 * dx.signum();
            let (x1, x2, y) = (start.x + side, end.x - side, start.y - radius * 0.75);
            return format!("M{x1:.1},{y:.1}Q{:.1},{:.1} {x2:.1},{y:.1}", (x1 + x2) / 2.0, y - lift);
        }
        if self.layer_of[from] == self.layer_of[to] {
            // Up within a layer: beside the edge down.
            let (y1, y2) = (start.y - radius, end.y + radius + 1.0);
            let (bend, aside) = ((y1 - y2) * 0.45, self.placement.scale.across * 0.35);
            return format!(
                "M{:.1},{y1:.1}C{:.1},{:.1} {:.1},{:.1} {:.1},{y2:.1}",
                start.x,
                start.x + aside,
                y1 - bend,
                end.x + aside,
                y2 + bend,
                end.x
            );
        }
        // The middle of the curve is to the right of all states between; parallel edges stay apart.
        let between = self.placement.states.iter().filter(|place| place.y >= end.y && place.y <= start.y);
        let rightmost = between.map(|place| place.x).fold(start.x.max(end.x), f64::max);
        let middle = rightmost + radius + 12.0 + (from % 6) as f64 * 6.0;
        let x = (middle - (start.x + end.x) / 8.0) / 0.75;
        format!(
            "M{:.1},{:.1}C{x:.1},{:.1} {x:.1},{:.1} {:.1},{:.1}",
            start.x + radius,
            start.y,
            start.y - dy.abs() * 0.12,
            end.y + dy.abs() * 0.12,
            end.x + radius + 1.5,
            end.y
        )
    }

    fn states(&self, out: &mut String) -> fmt::Result {
        let radius = self.placement.scale.radius;
        let is_numbered = self.space.states.len() <= MOST_NUMBERS;
        for (number, (state, Point { x, y })) in
            self.space.states.iter().zip(&self.placement.states).enumerate()
        {
            let class = if state.initial { "state initial" } else { "state" };
            write!(
                out,
                "<g class=\"{class}\" data-state=\"{number}\" transform=\"translate({x:.1},{y:.1})\">"
            )?;
            hint(out, number, state)?;
            if state.initial {
                let (far, near) = (radius * 2.1, radius * 1.05);
                write!(
                    out,
                    "<path class=\"start\" d=\"M-{far:.1},-{far:.1}L-{near:.1},-{near:.1}m-{radius:.1},0h{radius:.1}v-{radius:.1}\"/>"
                )?;
            }
            write!(out, "<circle class=\"body\" r=\"{radius}\"/>")?;
            if is_numbered {
                write!(out, "<text>{number}</text>")?;
            }
            write!(out, "</g>")?;
        }
        Ok(())
    }
}

fn hint(out: &mut String, number: usize, state: &SpaceStateRecord) -> fmt::Result {
    let start = if state.initial { ", initial" } else { "" };
    let progress = state.value.clone().unwrap_or_else(|| state.progress.to_string());
    write!(out, "<title>state {number}{start}, progress {}", Escaped(&progress))?;
    let values = state.values.iter().map(|value| format!("{} = {}", value.variable, value.value));
    list(out, values, state.values.len())?;
    write!(out, "</title>")
}

/// The first lines of a list, and the number of the others.
fn list(out: &mut String, lines: impl Iterator<Item = String>, count: usize) -> fmt::Result {
    for line in lines.take(SHOWN) {
        write!(out, "\n{}", Escaped(&cut(&line, 200)))?;
    }
    if count > SHOWN { write!(out, "\nand {} more", count - SHOWN) } else { Ok(()) }
}
