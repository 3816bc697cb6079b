/** Key/value pairs of a log line. An `Error` under the key `error` is printed with its stack. */
export interface LogFields {
  readonly [key: string]: unknown;
}

/**
 * Severity of a line; lines below the logger's level are not written.
 *
 * @example
 * ```ts
 * const level: LogLevel = process.env['DEBUG'] ? 'debug' : 'info';
 * const log = jsonLogger({ level });
 * ```
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Levels as comparable numbers. */
export const levelOrder: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * Receives the log lines of the runtime and its users: a constant message and fields.
 *
 * Lines carry controller-runtime's keys (`ts`, `level`, `logger`, `msg`, `controller`, `reconcileID`, …), so that existing log
 * queries work.
 *
 * @example
 * ```ts
 * ctx.log.info('pod created', { pod: { namespace, name } });
 * ctx.log.error('cannot reach the database', { error });
 * ```
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds these fields to every line. */
  with(fields: LogFields): Logger;
  /** Returns a logger whose name is this logger's name, a dot, and `name`. */
  named(name: string): Logger;
}
