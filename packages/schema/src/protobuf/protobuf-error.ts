import { KubewrightError } from '@kubewright/apimachinery';

/** The reason why protobuf decoding or encoding failed. */
export type ProtobufFault = 'malformed' | 'tooDeep' | 'tooLarge' | 'notRepresentable' | 'unknownKind';

/**
 * Thrown for bytes that are not a Kubernetes object in protobuf form, or an object that protobuf cannot represent. The API
 * server responds with 400.
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

/** Creates the error for a type without a protobuf encoding, such as a custom resource. */
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
