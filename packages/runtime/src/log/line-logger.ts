import { printableFields } from './log-record.ts';
import { type LogFields, type Logger, type LogLevel, levelOrder } from './logger.ts';

/** One log line before formatting. */
export interface LogLine {
  readonly level: LogLevel;
  /** Logger names joined by dots; empty for the root. */
  readonly name: string;
  readonly message: string;
  /** Printable fields, the logger's own fields first. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The output of a {@link LineLogger}. */
export interface LineSink {
  readonly level: LogLevel;
  readonly write: (line: LogLine) => void;
  /** True if the lines are read by people, not by programs. @defaultValue false */
  readonly isForPeople?: boolean;
}

interface Bound {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Collects names and fields, drops lines below the level, and passes the rest to a sink that formats them. */
export class LineLogger implements Logger {
  readonly #sink: LineSink;
  readonly #bound: Bound;

  constructor(sink: LineSink, bound: Bound = { name: '', fields: {} }) {
    this.#sink = sink;
    this.#bound = bound;
  }

  /** True if people read the output. */
  get isForPeople(): boolean {
    return this.#sink.isForPeople ?? false;
  }

  /** The lowest level that is written. */
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
