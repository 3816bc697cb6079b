import type { LogFields, Logger, LogLevel } from '../log/logger.ts';

/** A line that was logged. */
export interface RecordedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines, and those of loggers made from it, for tests to look at. */
export class RecordingLogger implements Logger {
  readonly lines: RecordedLine[];
  readonly #fields: LogFields;

  constructor(lines: RecordedLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  /** Messages of a level, in order. */
  messages(level: LogLevel): readonly string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  with(fields: LogFields): Logger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  named(name: string): Logger {
    return this.with({ logger: name });
  }

  #log(level: LogLevel, message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
