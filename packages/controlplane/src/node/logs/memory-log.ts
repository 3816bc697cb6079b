import { Buffer } from 'node:buffer';
import type { ReadableLog } from './log-store.ts';

/** Maximum size of a log in memory. */
const maxBytes = 64 * 1024;

/** A log whose newest part is kept in memory, for simulated containers. */
export class MemoryLog implements ReadableLog {
  #bytes: Buffer = Buffer.alloc(0);
  #dropped = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  get firstOffset(): number {
    return this.#dropped;
  }

  get endOffset(): number {
    return this.#dropped + this.#bytes.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  append(bytes: Uint8Array): void {
    const all = Buffer.concat([this.#bytes, bytes]);
    // Cut at a line break, so no reader starts in the middle of a line.
    const from = all.length > maxBytes ? all.indexOf(0x0a, all.length - maxBytes) + 1 : 0;
    this.#dropped += from;
    this.#bytes = Buffer.from(all.subarray(from));
    this.#wake();
  }

  end(): void {
    this.#closed = true;
    this.#wake();
  }

  discard(): void {
    this.end();
    this.#bytes = Buffer.alloc(0);
  }

  read(offset: number, limit: number): { readonly bytes: Uint8Array; readonly nextOffset: number } {
    const from = Math.max(offset - this.#dropped, 0);
    const bytes = this.#bytes.subarray(from, from + limit);
    return { bytes, nextOffset: this.#dropped + from + bytes.length };
  }

  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed || signal.aborted) {
        resolve();
        return;
      }
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#waiting.push(resolve);
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
