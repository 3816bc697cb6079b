import { systemClock } from '@kubewright/apimachinery';
import { printableFields } from './log-record.ts';
import { type LogFields, type Logger, type LogLevel, levelOrder } from './logger.ts';

/** Where log lines go: whole lines, with their line feed. */
export interface LogDestination {
  write(line: string): void;
}

/** Options of {@link jsonLogger}. */
export interface JsonLoggerOptions {
  /** @defaultValue 'info' */
  readonly level?: LogLevel;
  /** @defaultValue stderr */
  readonly destination?: LogDestination;
  /** Current wall clock, in milliseconds. @defaultValue the machine's */
  readonly now?: () => number;
}

/**
 * Writes JSON lines with controller-runtime's keys (`ts`, `level`, `logger`, `msg`, `error`, `stacktrace`, …). What is
 * printed is chosen by {@link printableFields}; what remains is one `JSON.stringify`, for which no library is loaded.
 */
export function jsonLogger(options: JsonLoggerOptions = {}): Logger {
  const { level = 'info', destination = stderr, now = systemClock.now } = options;
  return new JsonLogger({ lowest: levelOrder[level], destination, now }, { name: '', fields: {} });
}

/** Written at once where stderr is a file, a pipe or a terminal: the last lines before a crash are those that matter. */
const stderr: LogDestination = { write: (line) => void process.stderr.write(line) };

interface Target {
  readonly lowest: number;
  readonly destination: LogDestination;
  readonly now: () => number;
}

class JsonLogger implements Logger {
  readonly #target: Target;
  readonly #context: { readonly name: string; readonly fields: Readonly<Record<string, unknown>> };

  constructor(target: Target, context: { readonly name: string; readonly fields: Readonly<Record<string, unknown>> }) {
    this.#target = target;
    this.#context = context;
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
    const { name, fields: known } = this.#context;
    return new JsonLogger(this.#target, { name, fields: { ...known, ...printableFields(fields) } });
  }

  named(part: string): Logger {
    const { name, fields } = this.#context;
    return new JsonLogger(this.#target, { name: name === '' ? part : `${name}.${part}`, fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    const { lowest, destination, now } = this.#target;
    if (levelOrder[level] < lowest) return;
    const { name, fields: known } = this.#context;
    const head = { level, ts: new Date(now()).toISOString(), ...(name !== '' && { logger: name }), msg: message };
    // First for its place, last because a field must not pass for the line's own level or message.
    const line = { ...head, ...known, ...(fields && printableFields(fields)), ...head };
    destination.write(`${JSON.stringify(line)}\n`);
  }
}
