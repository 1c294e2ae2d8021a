//! A replicated log: replicas elect leaders for terms, and a leader copies its log to the others.
//!
//! This is Raft (Ongaro and Ousterhout 2014) without the parts that only make it fast: a leader
//! sends its whole log. The network holds a few messages, in no order, loses them and delivers them
//! twice. Terms and committed entries never decrease, so they are progress: the sweep follows the
//! terms and forgets the past ones.
//!
//! `cargo run --release -p sweepline --example replicated_log` checks the protocol, and finds the
//! errors of two wrong ones.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::collections::BTreeSet;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sweepline::{Checker, Model, Properties, Steps, check, lexicographic};

/// The rule by which replicas vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Votes {
    /// The correct rule of Raft.
    Correctly,
    /// A replica may vote twice in a term.
    Twice,
    /// A replica also votes for candidates whose log lacks entries.
    WithoutLookingAtLogs,
}

struct ReplicatedLog {
    replicas: u8,
    /// The last term.
    terms: u8,
    /// Maximum length of a log.
    entries: u8,
    /// Maximum number of messages in the network.
    capacity: usize,
    votes: Votes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Entry {
    term: u8,
    leader: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Role {
    Follower,
    Candidate {
        votes: BTreeSet<u8>,
    },
    Leader {
        /// Number of entries that each replica has, as far as the leader knows.
        copied: Vec<u8>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Replica {
    term: u8,
    voted_for: Option<u8>,
    role: Role,
    log: Vec<Entry>,
    committed: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Message {
    from: u8,
    to: u8,
    term: u8,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Content {
    /// Vote request. The candidate's log ends with an entry of this term, and has this length.
    Ask {
        last_term: u8,
        length: u8,
    },
    Grant,
    /// Copy of the leader's log, with the number of its committed entries.
    Copy {
        log: Vec<Entry>,
        committed: u8,
    },
    /// Acknowledgement: the replica has this many entries of the leader's log.
    Have {
        length: u8,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Cluster {
    replicas: Vec<Replica>,
    network: BTreeSet<Message>,
}

#[derive(Debug)]
#[allow(dead_code, reason = "shown by Debug")]
enum Action {
    TimeOut { replica: u8 },
    AskForVote { from: u8, to: u8 },
    Append { leader: u8 },
    Copy { from: u8, to: u8 },
    Deliver(Message),
    DeliverAndKeep(Message),
    Lose(Message),
}

impl Replica {
    fn last_term(&self) -> u8 {
        self.log.last().map_or(0, |entry| entry.term)
    }

    fn enter(&mut self, term: u8) {
        if term > self.term {
            *self = Self { term, voted_for: None, role: Role::Follower, ..self.clone() };
        }
    }
}

impl ReplicatedLog {
    fn is_majority(&self, count: usize) -> bool {
        count * 2 > usize::from(self.replicas)
    }

    /// Lets the replica read the message and possibly answer.
    fn receive(&self, replica: &mut Replica, message: &Message) -> Option<Content> {
        replica.enter(message.term);
        if message.term < replica.term {
            return None;
        }
        match (&message.content, &mut replica.role) {
            (&Content::Ask { last_term, length }, Role::Follower) => {
                let free = replica.voted_for.is_none_or(|other| other == message.from);
                let complete = (last_term, length) >= (replica.last_term(), replica.log.len() as u8);
                let grants = match self.votes {
                    Votes::Correctly => free && complete,
                    Votes::Twice => complete,
                    Votes::WithoutLookingAtLogs => free,
                };
                grants.then(|| {
                    replica.voted_for = Some(message.from);
                    Content::Grant
                })
            }
            (Content::Grant, Role::Candidate { votes }) => {
                votes.insert(message.from);
                if self.is_majority(votes.len()) {
                    let mut copied = vec![0; usize::from(self.replicas)];
                    copied[usize::from(message.to)] = replica.log.len() as u8;
                    replica.role = Role::Leader { copied };
                }
                None
            }
            (Content::Copy { log, committed }, Role::Follower | Role::Candidate { .. }) => {
                replica.role = Role::Follower;
                // An older message from the same leader removes nothing.
                if !replica.log.starts_with(log) || replica.last_term() < message.term {
                    replica.log.clone_from(log);
                }
                replica.committed = replica.committed.max(*committed);
                Some(Content::Have { length: log.len() as u8 })
            }
            (Content::Have { length }, Role::Leader { copied }) => {
                let known = &mut copied[usize::from(message.from)];
                *known = (*known).max(*length);
                for length in replica.committed + 1..=replica.log.len() as u8 {
                    let copies = copied.iter().filter(|copied| **copied >= length).count();
                    // Only entries of the leader's own term are committed directly. They commit
                    // earlier ones.
                    if self.is_majority(copies) && replica.log[usize::from(length) - 1].term == replica.term {
                        replica.committed = length;
                    }
                }
                None
            }
            _ => None,
        }
    }

    fn deliver(&self, cluster: &mut Cluster, message: &Message) {
        let replica = &mut cluster.replicas[usize::from(message.to)];
        let answer = self.receive(replica, message);
        let term = replica.term;
        if let Some(content) = answer {
            self.send(cluster, Message { from: message.to, to: message.from, term, content });
        }
    }

    /// Sends a message. Messages that do not fit into the network are lost.
    fn send(&self, cluster: &mut Cluster, message: Message) {
        if cluster.network.len() < self.capacity {
            cluster.network.insert(message);
        }
    }

    fn steps_of(&self, number: u8, cluster: &Cluster, steps: &mut Steps<Self>) {
        let replica = &cluster.replicas[usize::from(number)];
        let others = (0..self.replicas).filter(|other| *other != number);
        let message = |to, content| Message { from: number, to, term: replica.term, content };
        let has_room = cluster.network.len() < self.capacity;
        if replica.term < self.terms && !matches!(replica.role, Role::Leader { .. }) {
            steps.change(cluster, Action::TimeOut { replica: number }, |next| {
                let replica = &mut next.replicas[usize::from(number)];
                replica.enter(replica.term + 1);
                replica.voted_for = Some(number);
                replica.role = Role::Candidate { votes: BTreeSet::from([number]) };
            });
        }
        match &replica.role {
            Role::Candidate { votes } if has_room => {
                let content =
                    Content::Ask { last_term: replica.last_term(), length: replica.log.len() as u8 };
                for to in others.filter(|other| !votes.contains(other)) {
                    steps.change(cluster, Action::AskForVote { from: number, to }, |next| {
                        self.send(next, message(to, content.clone()));
                    });
                }
            }
            Role::Leader { .. } => {
                if replica.log.len() < usize::from(self.entries) {
                    steps.change(cluster, Action::Append { leader: number }, |next| {
                        let replica = &mut next.replicas[usize::from(number)];
                        replica.log.push(Entry { term: replica.term, leader: number });
                        if let Role::Leader { copied } = &mut replica.role {
                            copied[usize::from(number)] += 1;
                        }
                    });
                }
                let content = Content::Copy { log: replica.log.clone(), committed: replica.committed };
                for to in others.filter(|_| has_room) {
                    steps.change(cluster, Action::Copy { from: number, to }, |next| {
                        self.send(next, message(to, content.clone()));
                    });
                }
            }
            _ => {}
        }
    }
}

impl Model for ReplicatedLog {
    type State = Cluster;
    type Action = Action;

    fn initial_states(&self) -> Vec<Cluster> {
        let replica =
            Replica { term: 0, voted_for: None, role: Role::Follower, log: Vec::new(), committed: 0 };
        vec![Cluster { replicas: vec![replica; usize::from(self.replicas)], network: BTreeSet::new() }]
    }

    fn steps(&self, cluster: &Cluster, steps: &mut Steps<Self>) {
        for replica in 0..self.replicas {
            self.steps_of(replica, cluster, steps);
        }
        for message in &cluster.network {
            steps
                .change(cluster, Action::DeliverAndKeep(message.clone()), |next| self.deliver(next, message));
            steps.change(cluster, Action::Lose(message.clone()), |next| {
                next.network.remove(message);
            });
            steps.change(cluster, Action::Deliver(message.clone()), |next| {
                next.network.remove(message);
                self.deliver(next, message);
            });
        }
    }

    /// The sum of all terms, then the number of all committed entries.
    fn progress(&self, cluster: &Cluster) -> Option<u64> {
        let sum = |part: fn(&Replica) -> u8| cluster.replicas.iter().map(|one| u64::from(part(one))).sum();
        let below = |most: u8| u64::from(self.replicas) * u64::from(most) + 1;
        Some(lexicographic([
            (sum(|replica| replica.term), below(self.terms)),
            (sum(|replica| replica.committed), below(self.entries)),
        ]))
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always("committed prefixes agree", |_, cluster| {
            let committed = |replica: &Replica| usize::from(replica.committed);
            let agree = |(one, other): (&Replica, &Replica)| {
                let length = committed(one).min(committed(other));
                one.log.get(..length) == other.log.get(..length)
            };
            let replicas = &cluster.replicas;
            replicas.iter().all(|one| replicas.iter().all(|other| agree((one, other))))
        });
        properties.always("what is committed is there", |_, cluster| {
            cluster.replicas.iter().all(|replica| usize::from(replica.committed) <= replica.log.len())
        });
        properties.sometimes("an entry is committed everywhere", |_, cluster| {
            cluster.replicas.iter().all(|replica| replica.committed > 0)
        });
        properties.sometimes("a later term has a leader", |_, cluster| {
            cluster.replicas.iter().any(|one| one.term > 1 && matches!(one.role, Role::Leader { .. }))
        });
    }
}

fn small(votes: Votes) -> ReplicatedLog {
    ReplicatedLog { replicas: 3, terms: 2, entries: 2, capacity: 1, votes }
}

fn main() {
    let model = ReplicatedLog { capacity: 2, ..small(Votes::Correctly) };
    let begin = Instant::now();
    let checked = Checker::new(&model).expect_monotone().run();
    let seconds = begin.elapsed().as_secs_f64();
    println!("{checked}\n{:.0} states a second\n", checked.explored() as f64 / seconds);
    checked.assert_holds();

    for votes in [Votes::Twice, Votes::WithoutLookingAtLogs] {
        let model = small(votes);
        let checked = check(&model);
        let path = checked.assert_violated("committed prefixes agree");
        println!("Replicas vote {votes:?}:\n{}", path.display(&model));
    }
}

#[test]
fn the_protocol_is_safe_and_progress_never_falls() {
    let model = small(Votes::Correctly);
    let checked = Checker::new(&model).expect_monotone().run();
    checked.assert_holds();
    assert!(checked.peak() < checked.explored());
}

#[test]
fn wrong_votes_are_found_with_a_run() {
    for votes in [Votes::Twice, Votes::WithoutLookingAtLogs] {
        let model = small(votes);
        let checked = check(&model);
        let last = checked.assert_violated("committed prefixes agree").last_state();
        assert!(last.replicas.iter().filter(|replica| replica.committed > 0).count() >= 2);
    }
}
