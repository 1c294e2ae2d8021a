// A trace as data, with fast access to the state after any step, even in very long traces.

const EVERY = 256;

class Trace {
  constructor(data, texts) {
    this.data = data;
    this.texts = texts;
    this.length = data.steps.length;
    this.variables = [];
    this.place = new Map();
    const values = [];
    for (let i = 0; i < data.initial.length; i += 2)
      this.addVariable(data.initial[i], data.initial[i + 1], values);
    // A changed variable that the initial state lacks is added to it.
    for (const step of data.steps) {
      for (let i = 0; i < step.c.length; i += 3) {
        if (!this.place.has(step.c[i])) this.addVariable(step.c[i], step.c[i + 1], values);
      }
    }
    // Snapshots of the values at regular intervals, from which others are computed.
    this.kept = [values];
    const now = values.slice();
    data.steps.forEach((step, i) => {
      this.apply(step, now);
      if ((i + 1) % EVERY === 0) this.kept.push(now.slice());
    });
  }

  addVariable(name, value, values) {
    this.place.set(name, this.variables.length);
    this.variables.push(name);
    values.push(value);
  }

  apply(step, values) {
    for (let i = 0; i < step.c.length; i += 3) values[this.place.get(step.c[i])] = step.c[i + 2];
  }

  // The values after this number of steps.
  after(steps) {
    const values = this.kept[Math.floor(steps / EVERY)].slice();
    for (let i = steps - (steps % EVERY); i < steps; i++) this.apply(this.data.steps[i], values);
    return values;
  }

  // The numbers of the steps that change a variable with this text in its name, and of the initial
  // state.
  changing(word) {
    const all = Array.from({ length: this.length + 1 }, (_, i) => i);
    if (!word) return all;
    const wanted = this.namesWith(word);
    return all.filter(
      (number) =>
        number === 0 || this.data.steps[number - 1].c.some((text, i) => i % 3 === 0 && wanted.has(text)),
    );
  }

  namesWith(word) {
    const small = word.toLowerCase();
    return new Set(this.variables.filter((name) => this.texts[name].toLowerCase().includes(small)));
  }

  isInLoop(number) {
    const start = this.data.loop_start;
    return start !== null && number > start;
  }

  hasMessages() {
    return this.data.steps.some((step) => (step.p || []).length > 1 || step.h !== undefined);
  }
}
