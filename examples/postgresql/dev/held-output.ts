import type { Output } from './step-printer.ts';

/** Holds text back until it is let through, so that log lines do not break into the list of steps. */
export class HeldOutput implements Output {
  readonly #target: Output;
  #held: string[] | undefined = [];

  constructor(target: Output) {
    this.#target = target;
  }

  write(text: string): boolean {
    if (this.#held) this.#held.push(text);
    else this.#target.write(text);
    return true;
  }

  /** Lets everything through, what was held first. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#target.write(text);
  }
}
