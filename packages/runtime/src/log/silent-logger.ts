import type { Logger } from './logger.ts';

/**
 * Writes nothing.
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
