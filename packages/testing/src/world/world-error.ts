import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if the world of a test cannot be created: an object cannot be part of it, or its time is invalid. */
export class WorldError extends KubewrightError {
  override readonly name = 'WorldError';
  readonly code = 'KW8001';
}
