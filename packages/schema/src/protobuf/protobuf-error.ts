/** Why protobuf bytes could not be decoded. */
export type ProtobufFault = 'malformed' | 'tooDeep' | 'tooLarge' | 'notRepresentable' | 'unknownKind';

/** Bytes that are no Kubernetes object in protobuf form, or one that cannot be represented. Answered with 400. */
export class ProtobufError extends Error {
  readonly code = 'KW4301';
  readonly kind: ProtobufFault;

  constructor(kind: ProtobufFault, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ProtobufError';
    this.kind = kind;
  }
}
