// The protocol between runtime.mjs and its Node programs: commands are lines, responses are lines of JSON.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

export const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
export const nowMs = () => performance.timeOrigin + performance.now();

/** Handles commands one after another; each response contains the command's name. */
export function serve(handlers) {
  let last = Promise.resolve();
  const lines = createInterface({ input: process.stdin });
  lines.once('close', () => process.exit());
  lines.on('line', (line) => {
    const [command, ...args] = line.split(' ');
    last = last.then(async () => say({ at: command, ...(await handlers[command](...args.map(Number))) }));
  });
}

/**
 * Counts up to a target; reports when the target is reached, and the longest time that the event loop was blocked while
 * counting.
 */
export class Tally {
  #left = Number.POSITIVE_INFINITY;
  #done = () => {};
  count() {
    if (--this.#left === 0) this.#done();
  }
  reach(number) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    this.#left = number;
    return new Promise((resolve) => {
      this.#done = () => {
        const endMs = nowMs();
        this.#left = Number.POSITIVE_INFINITY;
        setTimeout(() => {
          delay.disable();
          resolve({ endMs, blockMs: delay.max / 1e6 });
        }, 5);
      };
    });
  }
}

/** Collects garbage; returns the remaining size of the heap and of the buffers outside the heap. */
export async function settle() {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  // Uses `external`, not `arrayBuffers`: only `external` includes buffers with their own pages.
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, outside: external };
}

/** Returns the milliseconds since the server sent an object; undefined if the object has no timestamp. */
export function ageOf(object) {
  const sent = Number(object.metadata.annotations['example.com/note'].slice(0, 16));
  return sent > 0 ? nowMs() - sent / 1000 : undefined;
}
