import type { Logger } from './logger.ts';

/**
 * A logger that writes nothing.
 *
 * @example
 * ```ts
 * const manager = new Manager({ client, log: silentLogger, controllers: [] });
 * ```
 */
export const silentLogger: Logger = Object.freeze({
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
  named: () => silentLogger,
});
