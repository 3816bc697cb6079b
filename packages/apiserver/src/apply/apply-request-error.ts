import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown for an applied configuration that cannot be merged. `message` is the API server's message (1.36), `httpStatus`
 * its status code: 400 for a wrong version or `managedFields` in the configuration, 500 if the configuration or the
 * stored object does not match the type. Do not retry.
 */
export class ApplyRequestError extends KubewrightError {
  readonly code = 'KW5010';
  readonly httpStatus: 400 | 500;

  constructor(message: string, httpStatus: 400 | 500, options?: ErrorOptions) {
    super({ what: message }, options);
    this.name = 'ApplyRequestError';
    this.httpStatus = httpStatus;
  }
}
