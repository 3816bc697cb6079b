import { systemClock } from '@kubewright/apimachinery';
import { LineLogger } from './line-logger.ts';
import type { Logger, LogLevel } from './logger.ts';

/** Receives log lines; each line is complete and ends with a line feed. */
export interface LogDestination {
  write(line: string): void;
}

/** Options for {@link jsonLogger}. */
export interface JsonLoggerOptions {
  /** @defaultValue 'info' */
  readonly level?: LogLevel;
  /** @defaultValue stderr */
  readonly destination?: LogDestination;
  /** Current wall clock, in milliseconds. @defaultValue the machine's clock */
  readonly now?: () => number;
}

/**
 * Writes JSON lines with controller-runtime's keys (`ts`, `level`, `logger`, `msg`, `error`, `stacktrace`, …).
 * Formatting needs only `JSON.stringify`, so no logging library is loaded.
 *
 * @example
 * ```ts
 * const log = jsonLogger({ level: 'debug' }).named('backup');
 * ```
 */
export function jsonLogger(options: JsonLoggerOptions = {}): Logger {
  const { level = 'info', destination = stderr, now = systemClock.now } = options;
  return new LineLogger({
    level,
    write(line) {
      const { name, message, fields } = line;
      const ts = new Date(now()).toISOString();
      const head = { level: line.level, ts, ...(name !== '' && { logger: name }), msg: message };
      // `head` is spread first to set the order of keys, and again last so that a field cannot override the level or
      // message.
      destination.write(`${JSON.stringify({ ...head, ...fields, ...head })}\n`);
    },
  });
}

/** Writes synchronously if stderr is a file, a pipe or a terminal, so that a crash loses no lines. */
const stderr: LogDestination = { write: (line) => void process.stderr.write(line) };
