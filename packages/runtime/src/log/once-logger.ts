import type { Logger } from './logger.ts';

/**
 * Logs a persistent failure once; until the next success, repetitions of the same message are logged at debug level.
 */
export class OnceLogger {
  #last: string | undefined;

  failed(log: Logger, message: string, fields: { readonly error: unknown; readonly [key: string]: unknown }): void {
    const { error } = fields;
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#last) log.debug(message, fields);
    else log.error(message, fields);
    this.#last = text;
  }

  succeeded(): void {
    this.#last = undefined;
  }
}
