import { printableFields } from './log-record.ts';
import { type LogFields, type Logger, type LogLevel, levelOrder } from './logger.ts';

/** One line, before it has a form. */
export interface LogLine {
  readonly level: LogLevel;
  /** Names joined by dots; empty for the root. */
  readonly name: string;
  readonly message: string;
  /** Fit to be printed; the logger's own first. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a {@link LineLogger} writes to. */
export interface LineSink {
  readonly level: LogLevel;
  readonly write: (line: LogLine) => void;
  /** Whether lines are for people rather than for programs. @defaultValue false */
  readonly isForPeople?: boolean;
}

interface Bound {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Collects names and fields, leaves out what is below the level, and hands lines to whoever gives them a form. */
export class LineLogger implements Logger {
  readonly #sink: LineSink;
  readonly #bound: Bound;

  constructor(sink: LineSink, bound: Bound = { name: '', fields: {} }) {
    this.#sink = sink;
    this.#bound = bound;
  }

  /** Whether people read what it writes. */
  get isForPeople(): boolean {
    return this.#sink.isForPeople ?? false;
  }

  /** The least serious lines that are written. */
  get level(): LogLevel {
    return this.#sink.level;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  with(fields: LogFields): Logger {
    const { name, fields: known } = this.#bound;
    return new LineLogger(this.#sink, { name, fields: { ...known, ...printableFields(fields) } });
  }

  named(part: string): Logger {
    const { name, fields } = this.#bound;
    return new LineLogger(this.#sink, { name: name === '' ? part : `${name}.${part}`, fields });
  }

  #write(level: LogLevel, message: string, own: LogFields | undefined): void {
    if (levelOrder[level] < levelOrder[this.#sink.level]) return;
    const { name, fields } = this.#bound;
    this.#sink.write({ level, name, message, fields: own ? { ...fields, ...printableFields(own) } : fields });
  }
}
