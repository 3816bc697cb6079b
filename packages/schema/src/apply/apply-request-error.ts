/**
 * An applied configuration that cannot be merged. `message` is the API server's (1.36), `httpStatus` what it answers: 400 for
 * a wrong version or `managedFields` in the configuration, 500 for what does not fit the type. Never worth a retry.
 */
export class ApplyRequestError extends Error {
  readonly code = 'KW4006';
  readonly httpStatus: 400 | 500;

  constructor(message: string, httpStatus: 400 | 500) {
    super(message);
    this.name = 'ApplyRequestError';
    this.httpStatus = httpStatus;
  }
}
