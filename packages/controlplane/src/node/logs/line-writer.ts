import { Buffer } from 'node:buffer';
import type { Clock } from '@kubewright/apimachinery';
import { criLine, logTime } from './cri-line.ts';
import type { LogWriter, WritableLog } from './log-store.ts';

/** Lines longer than this are written in parts. */
const lineBytes = 16 * 1024;

/** Called when a {@link LineWriter} drops lines. */
export interface LineWriterReports {
  /** Called when writes begin to fail: this line and the following lines are dropped. */
  dropping(error: unknown): void;
  /** Called with the number of lost lines when writes succeed again or the log ends. */
  dropped(lines: number): void;
}

/**
 * Splits output into lines, separately per stream. Lines that cannot be written are dropped and counted, and a notice replaces
 * them once the log is writable again. Never throws, because it is called when output arrives and a pod's log must not stop the
 * node.
 */
export class LineWriter implements LogWriter {
  readonly #log: WritableLog;
  readonly #clock: Clock;
  readonly #reports: LineWriterReports;
  readonly #rest = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #dropped = 0;
  #why = '';
  #closed = false;

  constructor(log: WritableLog, options: { readonly clock: Clock; readonly reports: LineWriterReports }) {
    this.#log = log;
    this.#clock = options.clock;
    this.#reports = options.reports;
  }

  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void {
    if (this.#closed) return;
    const time = logTime(this.#clock.now());
    let rest: Buffer = Buffer.concat([this.#rest[stream], chunk]);
    const lines: Uint8Array[] = [];
    for (;;) {
      const end = rest.indexOf(0x0a);
      if (end >= 0 && end <= lineBytes) {
        lines.push(criLine({ time, stream, isPartial: false, text: rest.subarray(0, end) }));
        rest = rest.subarray(end + 1);
      } else if (rest.length > lineBytes) {
        lines.push(criLine({ time, stream, isPartial: true, text: rest.subarray(0, lineBytes) }));
        rest = rest.subarray(lineBytes);
      } else break;
    }
    this.#rest[stream] = Buffer.from(rest);
    this.#append(lines);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const time = logTime(this.#clock.now());
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = this.#rest[stream];
      if (text.length > 0) this.#append([criLine({ time, stream, isPartial: true, text })]);
    }
    if (this.#dropped > 0) this.#append([]);
    if (this.#dropped > 0) this.#reports.dropped(this.#dropped);
    this.#log.end();
  }

  #append(lines: readonly Uint8Array[]): void {
    const lost = this.#dropped;
    if (lines.length === 0 && lost === 0) return;
    try {
      this.#log.append(Buffer.concat(lost === 0 ? lines : [this.#notice(), ...lines]));
    } catch (error) {
      this.#dropped += lines.length;
      this.#why = reasonOf(error);
      if (lost === 0) this.#reports.dropping(error);
      return;
    }
    this.#dropped = 0;
    if (lost > 0) this.#reports.dropped(lost);
  }

  #notice(): Uint8Array {
    const lines = this.#dropped === 1 ? '1 line was' : `${this.#dropped} lines were`;
    const text = Buffer.from(`[kubewright] ${lines} dropped here: cannot write the log: ${this.#why}`);
    return criLine({ time: logTime(this.#clock.now()), stream: 'stderr', isPartial: false, text });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
