import { KubewrightError } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';

/**
 * Codes of errors in the client's configuration.
 *
 * | code | meaning |
 * |---|---|
 * | `KW2201` | no kubeconfig was found, or it does not contain the context, cluster or user |
 * | `KW2202` | a file cannot be read or is malformed |
 * | `KW2203` | a credential plugin could not be run, or returned an invalid result |
 */
export type ConfigErrorCode = 'KW2201' | 'KW2202' | 'KW2203';

/**
 * Thrown for a configuration that cannot be used; the message names the file and the field, never a secret.
 *
 * @example
 * ```ts
 * if (error instanceof ConfigError) console.error(error.code, error.message);
 * ```
 */
export class ConfigError extends KubewrightError {
  override readonly name = 'ConfigError';
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, text: ErrorText, options?: { readonly cause?: unknown }) {
    super(text, options);
    this.code = code;
  }
}
