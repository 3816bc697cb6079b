import type { Logger } from './logger.ts';

/** Writes nothing. */
export const silentLogger: Logger = Object.freeze({
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
  named: () => silentLogger,
});
