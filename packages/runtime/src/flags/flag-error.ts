import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown for an invalid command line; the message ends with the list of known flags. */
export class FlagError extends KubewrightError {
  override readonly name = 'FlagError';
  /** Fix the command line. */
  readonly code = 'KW3032';
}
