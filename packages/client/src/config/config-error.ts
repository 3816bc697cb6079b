/**
 * What went wrong between this program's environment and a configured client.
 *
 * | code | meaning |
 * |---|---|
 * | `KW2201` | no configuration was found, or a named part of it does not exist |
 * | `KW2202` | a file cannot be read or is malformed |
 * | `KW2203` | a credential plugin could not be run, or answered what it must not |
 */
export type ConfigErrorCode = 'KW2201' | 'KW2202' | 'KW2203';

/** A configuration that cannot be used; the message names the file and the field, never a secret. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ConfigError';
    this.code = code;
  }
}
