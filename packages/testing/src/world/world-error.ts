import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if the in-memory world of a test cannot be created: an object or the time is invalid. */
export class WorldError extends KubewrightError {
  override readonly name = 'WorldError';
  readonly code = 'KW8001';
}
