import { KubewrightError } from '@kubewright/apimachinery';

/** A bootstrap object could not be created. The server cannot run without it. */
export class BootstrapError extends KubewrightError {
  override readonly name = 'BootstrapError';
  readonly code = 'KW5401';
}
