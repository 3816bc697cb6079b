/** Key/value pairs of a log line. An `Error` under the key `error` is printed with its stack. */
export interface LogFields {
  readonly [key: string]: unknown;
}

/** How serious a line is; lines below the logger's level are not made. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Levels as numbers that compare. */
export const levelOrder: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * Where the runtime and its users write log lines: a constant message and fields.
 *
 * Lines carry controller-runtime's keys (`ts`, `level`, `logger`, `msg`, `controller`, `reconcileID`, …), so that
 * existing log queries work.
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
  /** Makes a logger whose lines carry these fields too. */
  with(fields: LogFields): Logger;
  /** Makes a logger whose name is this one's, a dot, and `name`. */
  named(name: string): Logger;
}
