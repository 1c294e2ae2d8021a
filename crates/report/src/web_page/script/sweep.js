// The generalised sweep-line method of Kristensen and Mailund (2002) on a known graph, step by
// step. The layer with the least progress is expanded and then dropped. The target of a regress
// edge becomes a persistent state and a root of the next sweep, until a sweep finds no new one. As
// in the engine, the initial states are persistent as well, because regress edges often lead to
// them.

const UNKNOWN = 0,
  FUTURE = 1,
  CURRENT = 2,
  FORGOTTEN = 3,
  PERSISTENT = 4,
  PERSISTENT_CURRENT = 5;
const STATUS_NAMES = ["unknown", "future", "current", "forgotten", "persistent", "persistent-current"];
const MOST_MOMENTS = 60000;

// Each moment has the changes, [state, before, after], the expanded state, if there is one, and
// counts.
class Sweep {
  constructor(space) {
    this.layer = space.layer;
    this.next = space.layer.map(() => []);
    for (let i = 0; i < space.edges.length; i += 2) this.next[space.edges[i]].push(space.edges[i + 1]);
    this.status = new Uint8Array(space.layer.length);
    this.moments = [];
    [this.stored, this.met, this.most, this.sweeps, this.cut] = [0, 0, 0, 0, false];
    this.isMet = new Uint8Array(space.layer.length);
    let roots = space.initial;
    while (roots.length && !this.cut) roots = this.sweep(roots);
    this.status = new Uint8Array(space.layer.length);
  }

  begin(words, layer, state) {
    this.now = { words, layer, state, sweep: this.sweeps, changes: [] };
  }

  set(state, status) {
    const before = this.status[state];
    if (before === status) return;
    const isStored = (one) => one !== UNKNOWN && one !== FORGOTTEN;
    this.stored += Number(isStored(status)) - Number(isStored(before));
    if (!this.isMet[state]) {
      this.isMet[state] = 1;
      this.met++;
    }
    this.status[state] = status;
    this.now.changes.push([state, before, status]);
  }

  end() {
    this.most = Math.max(this.most, this.stored);
    Object.assign(this.now, { stored: this.stored, met: this.met, most: this.most });
    this.moments.push(this.now);
    this.cut = this.moments.length >= MOST_MOMENTS;
  }

  // One sweep; returns the roots of the next one.
  sweep(roots) {
    this.sweeps++;
    const waiting = new Map();
    const wait = (state) => {
      const layer = this.layer[state];
      if (!waiting.has(layer)) waiting.set(layer, []);
      waiting.get(layer).push(state);
    };
    const kind = this.sweeps === 1 ? "initial" : "persistent";
    this.begin(`starts with ${plural(roots.length, kind + " state", kind + " states")}`, null, null);
    for (const root of roots) {
      this.set(root, PERSISTENT);
      wait(root);
    }
    this.end();
    const found = [];
    while (waiting.size && !this.cut) {
      const layer = Math.min(...waiting.keys());
      const states = waiting.get(layer);
      this.begin(
        `${plural(states.length, "state waits", "states wait")} in the layer with the least progress`,
        layer,
        null,
      );
      this.now.isEntry = true;
      for (const state of states)
        this.set(state, this.status[state] === PERSISTENT ? PERSISTENT_CURRENT : CURRENT);
      this.end();
      for (let i = 0; i < states.length && !this.cut; i++) this.expand(states[i], layer, states, wait, found);
      waiting.delete(layer);
      this.begin("the layer is dropped", layer, null);
      for (const state of states)
        this.set(state, this.status[state] === PERSISTENT_CURRENT ? PERSISTENT : FORGOTTEN);
      this.end();
    }
    return found;
  }

  expand(state, layer, states, wait, found) {
    this.begin(`state ${state} is expanded`, layer, state);
    for (const next of this.next[state]) {
      const status = this.status[next];
      if (status !== UNKNOWN && status !== FORGOTTEN) continue;
      if (this.layer[next] < layer) {
        this.set(next, PERSISTENT);
        found.push(next);
      } else if (this.layer[next] === layer) {
        this.set(next, CURRENT);
        states.push(next);
      } else {
        this.set(next, FUTURE);
        wait(next);
      }
    }
    this.end();
  }
}
