/**
 * A body whose values do not fit the kind's types. `message` is what the API server's decoder says (1.36), e.g.
 * `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`; the caller puts
 * `Deployment in version "v1" cannot be handled as a Deployment: ` before it and answers 400. Never worth a retry.
 */
export class DecodeError extends Error {
  readonly code = 'KW4002';

  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}
