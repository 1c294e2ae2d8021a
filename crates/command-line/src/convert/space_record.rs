//! A small state space for the run record: state by state, or layer by layer if there are too many
//! states to draw.

use model::guarded_commands::GuardedCommands;
use model::measure::ExpressionMeasure;
use report::{SpaceEdgeRecord, SpaceRecord, SpaceStateRecord, ValueRecord};

use crate::convert::reachable_states::ReachableStates;

/// The record of a graph with the progress values of its states.
pub fn space_record(
    graph: &ReachableStates,
    progress: &[u64],
    measure: Option<&ExpressionMeasure>,
    commands: &GuardedCommands,
) -> SpaceRecord {
    let value = |progress: u64| measure.map(|measure| measure.show(progress));
    let by_states = graph.states.len() <= SpaceRecord::MOST_STATES;
    let states = graph.states.iter().zip(progress).enumerate().map(|(number, (state, &progress))| {
        // Layers have neither values nor names.
        let values = if by_states { ValueRecord::all(commands, state) } else { Vec::new() };
        SpaceStateRecord { progress, values, initial: number == 0, value: value(progress) }
    });
    let name = |action| if by_states { commands.action_name(action) } else { String::new() };
    let edges = (0..).zip(&graph.steps).flat_map(|(from, steps)| {
        steps.iter().map(move |&(action, to)| SpaceEdgeRecord { from, to, action: name(action) })
    });
    let space =
        SpaceRecord { states: states.collect(), edges: edges.collect(), complete: true, layers: Vec::new() };
    match by_states {
        true => space,
        false => SpaceRecord { complete: true, layers: space.by_layers(), ..SpaceRecord::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_spaces_have_states_and_large_ones_layers() {
        let model = |most: u32| {
            let text = format!(
                "int x; process P {{ state s; init s; trans s -> s {{ guard x < {most}; effect x = x + 1; }}, \
                 s -> s {{ guard x == {most}; effect x = 0; }}; }} system async;"
            );
            languages::read_model(&text).unwrap().commands
        };
        let drawn = |commands: &GuardedCommands| {
            let graph = ReachableStates::explore(commands, 10_000).unwrap();
            let progress: Vec<u64> = graph.states.iter().map(|state| state[0] as u64 / 10).collect();
            space_record(&graph, &progress, None, commands)
        };
        let small = drawn(&model(99));
        assert_eq!((small.states.len(), small.edges.len(), small.layers.len()), (100, 100, 0));
        assert!(small.states[0].initial && !small.states[1].initial);
        let large = drawn(&model(4_999));
        assert_eq!((large.states.len(), large.layers.len()), (0, 500));
        assert!(large.layers.iter().all(|layer| layer.states == 10));
        // Nine steps stay in the layer, one leaves it; the last one is a regress edge.
        assert_eq!(
            large.layers[0].edges.iter().map(|edge| (edge.to, edge.count)).collect::<Vec<_>>(),
            [(0, 9), (1, 1)]
        );
        assert_eq!(
            large.layers[499].edges.iter().map(|edge| (edge.to, edge.count)).collect::<Vec<_>>(),
            [(0, 1), (499, 9)]
        );
    }
}
