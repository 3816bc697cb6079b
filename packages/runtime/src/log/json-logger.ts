import { systemClock } from '@kubewright/apimachinery';
import { LineLogger } from './line-logger.ts';
import type { Logger, LogLevel } from './logger.ts';

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
 * Writes JSON lines with controller-runtime's keys (`ts`, `level`, `logger`, `msg`, `error`, `stacktrace`, …). What
 * remains is one `JSON.stringify`, for which no library is loaded.
 */
export function jsonLogger(options: JsonLoggerOptions = {}): Logger {
  const { level = 'info', destination = stderr, now = systemClock.now } = options;
  return new LineLogger({
    level,
    write(line) {
      const { name, message, fields } = line;
      const ts = new Date(now()).toISOString();
      const head = { level: line.level, ts, ...(name !== '' && { logger: name }), msg: message };
      // First for its place, last because a field must not pass for the line's own level or message.
      destination.write(`${JSON.stringify({ ...head, ...fields, ...head })}\n`);
    },
  });
}

/** Written at once where stderr is a file, a pipe or a terminal: the last lines before a crash are those that matter. */
const stderr: LogDestination = { write: (line) => void process.stderr.write(line) };
