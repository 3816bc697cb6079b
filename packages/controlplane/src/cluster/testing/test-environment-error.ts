import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if a test cluster is unavailable. The message says what was requested, why it failed and what to do. */
export class TestEnvironmentError extends KubewrightError {
  override readonly name = 'TestEnvironmentError';
  readonly code = 'KW5503';
}
