import type { Clock } from '@kubewright/apimachinery';

/** A destination for text: a terminal, a pipe, a test. */
export interface Output {
  write(text: string): unknown;
}

const codes = { dim: '\u001b[2m', good: '\u001b[32m', bad: '\u001b[33m', reset: '\u001b[0m' } as const;

/** Prints progress: one line per step, with the seconds since the start. */
export class StepPrinter {
  readonly #clock: Clock;
  readonly #output: Output;
  readonly #start: number;
  readonly #colors: boolean;

  /**
   * @param options - `sinceMs`: milliseconds since the program started; `colors`: true if the output supports colors
   */
  constructor(options: {
    readonly clock: Clock;
    readonly output: Output;
    readonly sinceMs: number;
    readonly colors?: boolean;
  }) {
    this.#clock = options.clock;
    this.#output = options.output;
    this.#start = options.clock.monotonic() - options.sinceMs;
    this.#colors = options.colors ?? false;
  }

  /** Prints a completed step. */
  step(what: string, detail = '', mood: 'good' | 'bad' | 'plain' = 'plain'): void {
    const seconds = ((this.#clock.monotonic() - this.#start) / 1000).toFixed(2);
    const time = this.#paint('dim', `${seconds.padStart(7)} s`);
    const padded = what.padEnd(18);
    const name = mood === 'plain' ? padded : this.#paint(mood, padded);
    this.#output.write(`${time}  ${name}${detail}`.trimEnd().concat('\n'));
  }

  text(text: string): void {
    this.#output.write(text);
  }

  #paint(code: keyof typeof codes, text: string): string {
    return this.#colors ? `${codes[code]}${text}${codes.reset}` : text;
  }
}
