//! A cache-coherence protocol: caches share a line of memory, and a directory ensures that no cache
//! reads stale data.
//!
//! This is the directory protocol of Steven German (2000), which is MSI. A cache requests a shared
//! or an exclusive copy. The directory invalidates other copies where necessary, and grants the
//! request. Every write makes a new version of the line, and the number of writes is progress. The
//! number of states between two writes is constant. So the sweep checks any number of writes in the
//! memory of a few.
//!
//! `cargo run --release -p sweepline --example cache_coherence`

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::time::Instant;

use serde::{Deserialize, Serialize};
use sweepline::{Checker, Model, Properties, Steps, check};

/// The condition on which the directory grants an exclusive copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grants {
    /// All other copies are invalidated.
    AfterAllAnswers,
    /// Invalidations were sent to the other caches.
    AfterAllRequests,
}

struct Protocol {
    caches: usize,
    /// Maximum number of writes.
    writes: u16,
    grants: Grants,
}

/// The version of the line that a copy holds.
type Version = u16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Copy {
    Invalid,
    Shared(Version),
    Exclusive(Version),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Wish {
    Shared,
    Exclusive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Order {
    Invalidate,
    HaveShared(Version),
    HaveExclusive(Version),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Answer {
    Gone,
    /// The copy was changed: this is its version.
    WrittenBack(Version),
}

/// A cache, and the three channels between it and the directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Cache {
    copy: Copy,
    wish: Option<Wish>,
    order: Option<Order>,
    answer: Option<Answer>,
    /// Directory entry: the cache may have a copy.
    sharer: bool,
    /// Directory entry: an invalidation remains to be sent to the cache.
    to_invalidate: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct System {
    caches: Vec<Cache>,
    /// The request that the directory works on, and the cache that sent it.
    current: Option<(Wish, usize)>,
    /// The version in memory. `None` while a cache has an exclusive copy: the contents of memory
    /// are then meaningless, and would only distinguish states.
    memory: Option<Version>,
    /// The last version that was written.
    latest: Version,
}

#[derive(Debug)]
#[allow(dead_code, reason = "shown by Debug")]
enum Action {
    Ask { cache: usize, wish: Wish },
    Write { cache: usize },
    Obey { cache: usize, order: Order },
    Take { cache: usize, wish: Wish },
    Invalidate { cache: usize },
    Hear { cache: usize, answer: Answer },
    Grant { cache: usize, wish: Wish },
}

impl Protocol {
    fn steps_of_cache(&self, number: usize, system: &System, steps: &mut Steps<Self>) {
        let cache = &system.caches[number];
        let wishes: &[Wish] = match cache.copy {
            Copy::Invalid => &[Wish::Shared, Wish::Exclusive],
            Copy::Shared(_) => &[Wish::Exclusive],
            Copy::Exclusive(_) => &[],
        };
        for &wish in wishes.iter().filter(|_| cache.wish.is_none()) {
            steps.change(system, Action::Ask { cache: number, wish }, |next| {
                next.caches[number].wish = Some(wish);
            });
        }
        if matches!(cache.copy, Copy::Exclusive(_)) && system.latest < self.writes {
            steps.change(system, Action::Write { cache: number }, |next| {
                next.latest += 1;
                next.caches[number].copy = Copy::Exclusive(next.latest);
            });
        }
        if let Some(order) = cache.order
            && (order != Order::Invalidate || cache.answer.is_none())
        {
            steps.change(system, Action::Obey { cache: number, order }, |next| {
                next.caches[number].obey(order);
            });
        }
    }

    fn steps_of_directory(&self, number: usize, system: &System, steps: &mut Steps<Self>) {
        let cache = &system.caches[number];
        if let (None, Some(wish)) = (system.current, cache.wish) {
            steps.change(system, Action::Take { cache: number, wish }, |next| {
                next.current = Some((wish, number));
                next.caches[number].wish = None;
                next.caches.iter_mut().for_each(|cache| cache.to_invalidate = cache.sharer);
            });
        }
        let Some((wish, asker)) = system.current else { return };
        let must_be_alone = wish == Wish::Exclusive || system.memory.is_none();
        if must_be_alone && cache.to_invalidate && cache.order.is_none() {
            steps.change(system, Action::Invalidate { cache: number }, |next| {
                next.caches[number].order = Some(Order::Invalidate);
                next.caches[number].to_invalidate = false;
            });
        }
        if let Some(answer) = cache.answer {
            steps.change(system, Action::Hear { cache: number, answer }, |next| {
                next.caches[number].answer = None;
                next.caches[number].sharer = false;
                if let Answer::WrittenBack(version) = answer {
                    next.memory = Some(version);
                }
            });
        }
        if let Some(version) = system.memory
            && asker == number
            && cache.order.is_none()
            && self.may_grant(wish, system)
        {
            steps.change(system, Action::Grant { cache: number, wish }, |next| {
                next.current = None;
                next.caches.iter_mut().for_each(|cache| cache.to_invalidate = false);
                next.caches[number].sharer = true;
                next.caches[number].order = Some(match wish {
                    Wish::Shared => Order::HaveShared(version),
                    Wish::Exclusive => Order::HaveExclusive(version),
                });
                next.memory = system.memory.filter(|_| wish == Wish::Shared);
            });
        }
    }

    fn may_grant(&self, wish: Wish, system: &System) -> bool {
        match (wish, self.grants) {
            (Wish::Shared, _) => true,
            (Wish::Exclusive, Grants::AfterAllAnswers) => !system.caches.iter().any(|one| one.sharer),
            (Wish::Exclusive, Grants::AfterAllRequests) => !system.caches.iter().any(|one| one.to_invalidate),
        }
    }
}

impl Cache {
    fn obey(&mut self, order: Order) {
        self.order = None;
        match order {
            Order::HaveShared(version) => self.copy = Copy::Shared(version),
            Order::HaveExclusive(version) => self.copy = Copy::Exclusive(version),
            Order::Invalidate => {
                self.answer = Some(match self.copy {
                    Copy::Exclusive(version) => Answer::WrittenBack(version),
                    _ => Answer::Gone,
                });
                self.copy = Copy::Invalid;
            }
        }
    }
}

impl Model for Protocol {
    type State = System;
    type Action = Action;

    fn initial_states(&self) -> Vec<System> {
        let cache = Cache {
            copy: Copy::Invalid,
            wish: None,
            order: None,
            answer: None,
            sharer: false,
            to_invalidate: false,
        };
        let caches = vec![cache; self.caches];
        vec![System { caches, current: None, memory: Some(0), latest: 0 }]
    }

    fn steps(&self, system: &System, steps: &mut Steps<Self>) {
        for number in 0..self.caches {
            self.steps_of_cache(number, system, steps);
            self.steps_of_directory(number, system, steps);
        }
    }

    fn progress(&self, system: &System) -> Option<u64> {
        Some(u64::from(system.latest))
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always("who writes is alone", |_, system| {
            let valid = system.caches.iter().filter(|cache| cache.copy != Copy::Invalid).count();
            valid <= 1 || !system.caches.iter().any(|cache| matches!(cache.copy, Copy::Exclusive(_)))
        });
        properties.always("no cache reads a stale value", |_, system| {
            system.caches.iter().all(|cache| match cache.copy {
                Copy::Shared(version) | Copy::Exclusive(version) => version == system.latest,
                Copy::Invalid => true,
            })
        });
        properties.sometimes("all share", |_, system| {
            system.caches.iter().all(|cache| matches!(cache.copy, Copy::Shared(_)))
        });
        properties.sometimes("one is exclusive", |_, system| {
            system.caches.iter().any(|cache| matches!(cache.copy, Copy::Exclusive(_)))
        });
        properties.sometimes("written back", |_, system| system.memory > Some(0));
        properties.always_possible("the last cache can be exclusive", |_, system| {
            matches!(system.caches.last(), Some(Cache { copy: Copy::Exclusive(_), .. }))
        });
        properties.deadlock_free("no deadlock");
    }
}

fn main() {
    for writes in [2, 20, 200] {
        let model = Protocol { caches: 3, writes, grants: Grants::AfterAllAnswers };
        let begin = Instant::now();
        let checked = Checker::new(&model).run();
        let seconds = begin.elapsed().as_secs_f64();
        println!("{writes} writes\n{checked}\n{:.0} states a second\n", checked.explored() as f64 / seconds);
        checked.assert_holds();
    }
    let model = Protocol { caches: 2, writes: 2, grants: Grants::AfterAllRequests };
    let checked = check(&model);
    let path = checked.assert_violated("no cache reads a stale value");
    println!("A directory that does not wait for answers:\n{}", path.display(&model));
}

#[test]
fn the_protocol_is_coherent_and_more_writes_need_no_more_memory() {
    let explored_and_peak = |writes| {
        let model = Protocol { caches: 2, writes, grants: Grants::AfterAllAnswers };
        let checked = Checker::new(&model).expect_monotone().run();
        checked.assert_holds();
        (checked.explored(), checked.peak())
    };
    let (few, peak) = explored_and_peak(10);
    let (many, same_peak) = explored_and_peak(100);
    assert!(many > 9 * few);
    assert_eq!(peak, same_peak);
}

#[test]
fn a_directory_that_does_not_wait_is_found() {
    let model = Protocol { caches: 2, writes: 1, grants: Grants::AfterAllRequests };
    let checked = check(&model);
    assert!(!checked.assert_violated("who writes is alone").is_empty());
    assert_eq!(checked.assert_violated("no cache reads a stale value").last_state().latest, 1);
}
