/** The type of an object. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Encodes and decodes kinds in Kubernetes' protobuf format. Injected, because its tables are large and few servers need them. */
export interface ProtobufCodec {
  /** Decodes a body to plain JSON. */
  decode(bytes: Uint8Array): unknown;
  /** Reports whether objects of the type can be encoded. Custom resources cannot. */
  has(type: ObjectType): boolean;
  encode(type: ObjectType, object: Json): Uint8Array;
  /** Encodes an element of a list, for {@link encodeList}. */
  encodeItem(type: ObjectType, object: Json): Uint8Array;
  encodeList(type: ObjectType, metadata: Json, items: readonly Uint8Array[]): Uint8Array;
  /** Encodes a watch event around an encoded object, prefixed with the event's length. */
  encodeEvent(type: string, object: Uint8Array): Uint8Array;
}
