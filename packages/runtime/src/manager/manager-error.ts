import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when a manager cannot be created or run as configured. */
export class ManagerError extends KubewrightError {
  override readonly name: string = 'ManagerError';
  /** Identifies the failure; fix the program, or the problem described in `cause`. */
  readonly code = 'KW3007';
}
