import { KubewrightError } from '@kubewright/apimachinery';

/** The types of the value and of the field, for callers that word the error differently. */
export interface TypeMismatch {
  /** The type of the value in the body. `fraction` is a number that is not an integer. */
  readonly found: 'object' | 'array' | 'string' | 'bool' | 'number' | 'fraction' | 'null';
  /** The Go type of the field: `int32`, `v1.Protocol`, `[]string`. */
  readonly type: string;
  /** The Go kind of the field's type; `unmarshaler` for types with a custom JSON decoder, such as times. */
  readonly kind: 'struct' | 'map' | 'slice' | 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'unmarshaler';
  /** The value as the message shows it, if that is more than its type: `number 1.5`. */
  readonly shown?: string | undefined;
}

/**
 * Thrown for a body whose values do not match the kind's types. The message matches the API server's decoder (1.36), e.g.
 * `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. The caller prepends
 * `Deployment in version "v1" cannot be handled as a Deployment: ` and responds with 400. Do not retry.
 */
export class DecodeError extends KubewrightError {
  readonly code = 'KW4002';

  /** The types, if the error is a value of the wrong type. */
  readonly mismatch: TypeMismatch | undefined;

  constructor(message: string, mismatch?: TypeMismatch) {
    super({ what: message });
    this.name = 'DecodeError';
    this.mismatch = mismatch;
  }
}
