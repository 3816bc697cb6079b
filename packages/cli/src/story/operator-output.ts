import type { Clock } from '@kubewright/apimachinery';
import { HeldFailures } from './held-failures.ts';
import { type LogRecord, parseLogRecord } from './log-record.ts';
import { isFrame, stackView } from './stack-view.ts';
import { type StoryOptions, StoryPrinter } from './story-printer.ts';
import { StoryRecords } from './story-records.ts';

/** The maximum number of lines of the source excerpt that Node prints before an uncaught error: location, code, marker. */
const maxPictureLines = 6;
/** Unterminated lines are passed on in pieces of this many characters. */
const longestLine = 1024 * 1024;

/** The destination of an operator's output. */
export interface OperatorOutputOptions extends StoryOptions {
  /** Receives complete lines, including the line feed. */
  readonly write: (text: string) => void;
  /** Receives records instead of lines: `{ reconcile }`, `{ log }` for the runtime's log, `{ output }` for anything else. */
  readonly report?: ((record: object) => void) | undefined;
  /** Passes records of the runtime's log through unchanged, for programs. @defaultValue false */
  readonly raw?: boolean | undefined;
  /** @defaultValue `systemClock` */
  readonly clock?: Clock | undefined;
  /** Receives every record of the runtime's log. */
  readonly onRecord?: ((record: LogRecord) => void) | undefined;
}

/**
 * Formats an operator's output for people: log lines of the runtime as a story, stacks of uncaught errors with the lines of
 * code that caused them, everything else unchanged.
 */
export class OperatorOutput {
  readonly #options: OperatorOutputOptions;
  readonly #printer: StoryPrinter;
  readonly #records = new StoryRecords();
  readonly #failures: HeldFailures;
  #partial = '';
  #frames: string[] = [];
  #picture: string[] | undefined;

  constructor(options: OperatorOutputOptions) {
    this.#options = options;
    this.#printer = new StoryPrinter(options);
    this.#failures = new HeldFailures({ clock: options.clock, alone: (failure) => this.#print(failure) });
  }

  /** Processes a piece of the output. */
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
    this.#endPicture();
    this.#failures.end();
  }

  #line(line: string): void {
    if (isFrame(line)) {
      this.#frames.push(line);
      return;
    }
    this.#endFrames();
    if (this.#isPicture(line)) return;
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
    } else this.#write(this.#printer.describe(record, failure));
  }

  /** True for lines of the source excerpt that Node prints before an uncaught error; the frame shown below is more helpful. */
  #isPicture(line: string): boolean {
    if (this.#picture === undefined) {
      if (!/^(?:file:\/\/|\/|[A-Za-z]:\\|<anonymous_script>)[^|]*:\d+$/.test(line)) return false;
      this.#picture = [line];
      return true;
    }
    this.#picture.push(line);
    if (/^\s*\^*$/.test(line)) this.#picture = undefined;
    else if (this.#picture.length > maxPictureLines) this.#endPicture();
    return true;
  }

  #endPicture(): void {
    const held = this.#picture ?? [];
    this.#picture = undefined;
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
