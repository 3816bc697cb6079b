import type { Output } from './step-printer.ts';

/**
 * Holds log lines back until they are let through, so that they do not break into the list of steps. What follows the
 * first line of a text (a stack) is for machines' logs and is left out.
 */
export class HeldOutput implements Output {
  readonly #target: Output;
  #held: string[] | undefined = [];

  constructor(target: Output) {
    this.#target = target;
  }

  write(text: string): boolean {
    const end = text.indexOf('\n');
    const line = end === -1 ? text : text.slice(0, end + 1);
    if (this.#held) this.#held.push(line);
    else this.#target.write(line);
    return true;
  }

  /** Lets everything through, what was held first. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#target.write(text);
  }
}
