import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown for a body whose values do not match the kind's types. `message` matches the API server's decoder (1.36), e.g.
 * `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. The caller prepends
 * `Deployment in version "v1" cannot be handled as a Deployment: ` and responds with 400. Do not retry.
 */
export class DecodeError extends KubewrightError {
  readonly code = 'KW4002';

  constructor(message: string) {
    super({ what: message });
    this.name = 'DecodeError';
  }
}
