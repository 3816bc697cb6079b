import type { Logger } from './logger.ts';

/** Tells a trouble that lasts once: the same message again, before things went well, is for those who debug. */
export class ToldOnce {
  #told: string | undefined;

  failed(log: Logger, message: string, fields: { readonly error: unknown; readonly [key: string]: unknown }): void {
    const { error } = fields;
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#told) log.debug(message, fields);
    else log.error(message, fields);
    this.#told = text;
  }

  succeeded(): void {
    this.#told = undefined;
  }
}
