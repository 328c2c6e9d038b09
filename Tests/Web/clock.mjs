/** A fake clock with timers, advanced by the test. */
export class Clock {
  #timers = new Map();
  #next = 1;

  constructor(time = 0) { this.time = time; }

  now = () => this.time;
  setTimer = (run, milliseconds) => (this.#timers.set(this.#next, { run, at: this.time + milliseconds }), this.#next++);
  clearTimer = (timer) => this.#timers.delete(timer);
  get waiting() { return this.#timers.size; }

  wait(milliseconds) {
    const end = this.time + milliseconds;
    for (;;) {
      const [due] = [...this.#timers].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at);
      if (!due) break;
      this.#timers.delete(due[0]);
      this.time = due[1].at;
      due[1].run();
    }
    this.time = end;
  }
}
