//! Routing: where a successor goes, as a function of its progress value and the front.
//!
//! The paper compares the progress value of a successor with that of its predecessor. Here the
//! whole current layer has one value, so the front decides.

use model::measure::Comparison;

/// The front: which layer is current, and what the sweep remembers behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Front {
    /// The progress value of the current layer.
    pub(super) value: u64,
    /// The least value that is remembered: states of smaller values are forgotten. The value of the
    /// current layer, or less where there is a window.
    pub(super) floor: u64,
    /// How progress values are compared.
    pub(super) comparison: Comparison,
    /// Lowest bits of the model's progress values that are [dropped](super::merging).
    pub(super) merged: u32,
}

/// Where a successor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Into the current layer.
    Stays,
    /// To a layer ahead.
    Ahead,
    /// To a layer in the window, which may have it.
    Window,
    /// Behind the front, along a regress edge: it becomes persistent.
    Regress,
}

impl Front {
    /// Where a successor of this progress value goes.
    #[inline(always)]
    pub(super) fn route(&self, value: u64) -> Route {
        if value == self.value {
            Route::Stays
        } else if self.comparison.is_below(self.value, value) {
            Route::Ahead
        } else if self.comparison == Comparison::Total && value >= self.floor {
            Route::Window
        } else {
            Route::Regress
        }
    }

    /// Whether a step to this value is no progress: its route is `Window` or `Regress`.
    #[inline(always)]
    pub(super) fn falls(&self, value: u64) -> bool {
        !self.comparison.is_at_most(self.value, value)
    }

    /// Whether the route of this value is `Regress`.
    #[inline(always)]
    pub(super) fn is_regress(&self, value: u64) -> bool {
        match self.comparison {
            Comparison::Total => value < self.floor,
            Comparison::ComponentWise { .. } => self.falls(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_are_compared_as_numbers() {
        let front = Front { value: 7, floor: 5, ..Front::default() };
        let routes = [
            (4, Route::Regress),
            (5, Route::Window),
            (6, Route::Window),
            (7, Route::Stays),
            (8, Route::Ahead),
            (u64::MAX >> 1, Route::Ahead),
        ];
        for (value, route) in routes {
            assert_eq!(front.route(value), route, "{value}");
        }
        // Without a window, nothing is remembered.
        assert_eq!(Front { floor: 7, ..front }.route(6), Route::Regress);
    }

    #[test]
    fn an_incomparable_vector_is_a_regress() {
        // Two components of three bits, each below a guard.
        let vector = |one: u64, other: u64| one << 4 | other;
        let comparison = Comparison::ComponentWise { guards: vector(8, 8) };
        let front = Front { value: vector(3, 3), floor: vector(3, 3), comparison, merged: 0 };
        for (value, route) in [
            (vector(3, 3), Route::Stays),
            (vector(3, 4), Route::Ahead),
            (vector(7, 3), Route::Ahead),
            (vector(7, 2), Route::Regress),
            (vector(0, 0), Route::Regress),
            (vector(2, 7), Route::Regress),
        ] {
            assert_eq!(front.route(value), route, "{value:#x}");
        }
    }

    /// The worker's loop, which must not branch, uses these in place of `route`.
    #[test]
    fn the_parts_of_a_route_agree_with_it() {
        let guards = 0x88;
        for comparison in [Comparison::Total, Comparison::ComponentWise { guards }] {
            let values = || (0..256).filter(|value| value & guards == 0);
            for (value, floor) in values().flat_map(|value| values().map(move |floor| (value, floor))) {
                let front = Front { value, floor: floor.min(value), comparison, merged: 0 };
                for next in values() {
                    let route = front.route(next);
                    assert_eq!(front.falls(next), matches!(route, Route::Window | Route::Regress));
                    assert_eq!(front.is_regress(next), route == Route::Regress);
                }
            }
        }
    }
}
