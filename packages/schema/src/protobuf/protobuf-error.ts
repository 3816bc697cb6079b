import { KubewrightError } from '@kubewright/apimachinery';

/** Kind of failure of protobuf decoding. */
export type ProtobufFault = 'malformed' | 'tooDeep' | 'tooLarge' | 'notRepresentable' | 'unknownKind';

/**
 * Thrown for bytes that are not a Kubernetes object in protobuf form, or an object that cannot be represented. The response
 * is 400.
 */
export class ProtobufError extends KubewrightError {
  readonly code = 'KW4301';
  readonly kind: ProtobufFault;

  constructor(kind: ProtobufFault, message: string, options?: { readonly cause?: unknown }) {
    super({ what: message }, options);
    this.name = 'ProtobufError';
    this.kind = kind;
  }
}

/** Builds the error for a type without a message, such as a custom resource. */
export function unknownKind({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): ProtobufError {
  const name = `${kind.slice(0, 100)} of ${apiVersion.slice(0, 100)}`;
  return new ProtobufError('unknownKind', `${name} has no protobuf encoding`);
}
