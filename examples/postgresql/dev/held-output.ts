import type { Output } from './step-printer.ts';

/**
 * Buffers log lines until they are released, so that they do not interrupt the list of steps. Keeps only the first line
 * of each output, without the stack.
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

  /** Releases everything, buffered lines first. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#target.write(text);
  }
}
