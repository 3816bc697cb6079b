import type { ChildProcess } from 'node:child_process';
import type { AttachRequest } from '../driver.ts';

const maxBytes = 64 * 1024;

/**
 * Buffers the early output of a process for the first client that attaches: `kubectl run -i` attaches once the container is
 * running, and a command such as `echo` has already written and exited by then. Output of more than 64 KB is not replayed; the
 * client finds it in the log.
 */
export class EarlyOutput {
  readonly #child: ChildProcess;
  #kept: { readonly from: 'stdout' | 'stderr'; readonly chunk: Uint8Array }[] = [];
  #bytes = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on('data', this.#keepStdout);
    child.stderr?.on('data', this.#keepStderr);
  }

  /** Passes the buffered output on in its original order and stops buffering. */
  replayTo(listener: Pick<AttachRequest, 'stdout' | 'stderr'>): void {
    this.#stop();
    for (const { from, chunk } of this.#kept.splice(0)) void listener[from](chunk);
  }

  readonly #keepStdout = (chunk: Uint8Array): void => this.#keep('stdout', chunk);
  readonly #keepStderr = (chunk: Uint8Array): void => this.#keep('stderr', chunk);

  #keep(from: 'stdout' | 'stderr', chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#kept.push({ from, chunk });
    if (this.#bytes <= maxBytes) return;
    this.#stop();
    this.#kept = [];
  }

  #stop(): void {
    this.#child.stdout?.off('data', this.#keepStdout);
    this.#child.stderr?.off('data', this.#keepStderr);
  }
}
