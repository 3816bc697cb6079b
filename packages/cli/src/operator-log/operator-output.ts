import type { Clock } from '@kubewright/apimachinery';
import { type LogRecord, parseLogRecord } from './log-record.ts';
import { PendingFailures } from './pending-failures.ts';
import { RecordFormatter } from './record-formatter.ts';
import { isFrame, stackView } from './stack-view.ts';
import { TextFormatter, type TextFormatterOptions } from './text-formatter.ts';

/** The maximum number of lines of the source excerpt that Node prints before an uncaught error: location, code, marker. */
const maxExcerptLines = 6;
/** Unterminated lines are passed on in chunks of this many characters. */
const longestLine = 1024 * 1024;

/** The destinations and settings of an operator's output. */
export interface OperatorOutputOptions extends TextFormatterOptions {
  /** Receives complete lines, including the line feed. */
  readonly write: (text: string) => void;
  /** Receives records instead of lines: `{ reconcile }`, `{ log }` for the runtime's log, `{ output }` for anything else. */
  readonly report?: ((record: object) => void) | undefined;
  /** Passes records of the runtime's log through unchanged, as machine-readable output. @defaultValue false */
  readonly raw?: boolean | undefined;
  /** @defaultValue `systemClock` */
  readonly clock?: Clock | undefined;
  /** Receives every record of the runtime's log. */
  readonly onRecord?: ((record: LogRecord) => void) | undefined;
}

/**
 * Formats an operator's output for people: log lines of the runtime as one block per reconcile, stacks of uncaught errors
 * with the lines of code that caused them, everything else unchanged.
 */
export class OperatorOutput {
  readonly #options: OperatorOutputOptions;
  readonly #formatter: TextFormatter;
  readonly #records = new RecordFormatter();
  readonly #failures: PendingFailures;
  #partial = '';
  #frames: string[] = [];
  #excerpt: string[] | undefined;

  constructor(options: OperatorOutputOptions) {
    this.#options = options;
    this.#formatter = new TextFormatter(options);
    this.#failures = new PendingFailures({ clock: options.clock, alone: (failure) => this.#print(failure) });
  }

  /** Processes a chunk of output. */
  take(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop() ?? '';
    if (this.#partial.length > longestLine) {
      lines.push(this.#partial);
      this.#partial = '';
    }
    for (const line of lines) this.#line(line.replace(/\r$/, ''));
  }

  /** Flushes buffered output at the end. */
  end(): void {
    if (this.#partial !== '') this.#line(this.#partial);
    this.#partial = '';
    this.#endFrames();
    this.#endExcerpt();
    this.#failures.end();
  }

  #line(line: string): void {
    if (isFrame(line)) {
      this.#frames.push(line);
      return;
    }
    this.#endFrames();
    if (this.#isExcerpt(line)) return;
    const record = this.#options.raw ? undefined : parseLogRecord(line);
    if (record) {
      this.#options.onRecord?.(record);
      if (record.event === 'reconcile.failed') this.#failures.hold(record);
      else this.#print(record, record.event === 'reconcile.ended' ? this.#failures.take(record) : undefined);
    } else if (!/^Node\.js v\d/.test(line)) this.#write([line]);
  }

  /** @param failure - the failure of the reconcile whose end is `record`. */
  #print(record: LogRecord, failure?: LogRecord): void {
    const { report } = this.#options;
    if (report) {
      const entry = this.#records.describe(record, failure);
      if (entry) report(entry);
    } else this.#write(this.#formatter.describe(record, failure));
  }

  /** True for lines of the source excerpt that Node prints before an uncaught error; the frame shown below is more helpful. */
  #isExcerpt(line: string): boolean {
    if (this.#excerpt === undefined) {
      if (!/^(?:file:\/\/|\/|[A-Za-z]:\\|<anonymous_script>)[^|]*:\d+$/.test(line)) return false;
      this.#excerpt = [line];
      return true;
    }
    this.#excerpt.push(line);
    if (/^\s*\^*$/.test(line)) this.#excerpt = undefined;
    else if (this.#excerpt.length > maxExcerptLines) this.#endExcerpt();
    return true;
  }

  #endExcerpt(): void {
    const held = this.#excerpt ?? [];
    this.#excerpt = undefined;
    this.#write(held);
  }

  #endFrames(): void {
    if (this.#frames.length === 0) return;
    const stack = this.#frames.join('\n');
    this.#frames = [];
    this.#write(stackView(stack, this.#options).map((line) => `    ${line}`));
  }

  #write(lines: readonly string[]): void {
    const { report, write } = this.#options;
    for (const line of lines) {
      if (report) report({ output: line });
      else write(`${line}\n`);
    }
  }
}
