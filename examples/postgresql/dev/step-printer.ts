import type { Clock } from '@kubewright/apimachinery';

/** Where text goes: a terminal, a pipe, a test. */
export interface Output {
  write(text: string): unknown;
}

/** Prints what has happened, one line a step, each with the seconds since the start. */
export class StepPrinter {
  readonly #clock: Clock;
  readonly #output: Output;
  readonly #start: number;

  /** @param sinceMs - how long ago the program started, in milliseconds. */
  constructor(options: { readonly clock: Clock; readonly output: Output; readonly sinceMs: number }) {
    this.#clock = options.clock;
    this.#output = options.output;
    this.#start = options.clock.monotonic() - options.sinceMs;
  }

  step(what: string, detail = ''): void {
    const seconds = ((this.#clock.monotonic() - this.#start) / 1000).toFixed(2);
    this.#output.write(`${seconds.padStart(7)} s  ${what.padEnd(18)}${detail}`.trimEnd().concat('\n'));
  }

  text(text: string): void {
    this.#output.write(text);
  }
}
