import { MessageEncoder } from './message-encoder.ts';
import { messageOf, messageTable, type TypeMeta } from './messages.ts';
import { unknownKind } from './protobuf-error.ts';
import { WireWriter } from './wire-writer.ts';

type Json = Readonly<Record<string, unknown>>;

const prefix = Buffer.from('k8s\0');
/** The field number of `items`, which is the same in all list types. */
const itemsField = 2;

/** True if the type has a protobuf encoding, as all built-in kinds do. */
export function hasProtobuf(type: TypeMeta): boolean {
  return messageOf(messageTable(), type) !== undefined;
}

/**
 * Encodes an object of a built-in kind, given as plain JSON, in Kubernetes' protobuf envelope (`k8s\0`, `runtime.Unknown`), as
 * `k8s.io/apimachinery/pkg/runtime/serializer/protobuf` does. Omits nulls and unknown fields.
 *
 * @throws {@link ProtobufError} (`unknownKind`) for a type without a protobuf encoding
 */
export function encodeProtobuf(type: TypeMeta, object: Json): Uint8Array {
  const to = new WireWriter();
  writeEnvelopeEnd(to);
  const before = to.length;
  writeFields(to, type, object);
  to.message(2, before);
  writeEnvelopeStart(to, type);
  return to.finish();
}

/** Encodes an element of a list's `items`, for {@link encodeProtobufList}. */
export function encodeProtobufItem(type: TypeMeta, object: Json): Uint8Array {
  const to = new WireWriter();
  writeFields(to, type, object);
  to.message(itemsField, 0);
  return to.finish();
}

/** Encodes a list, given its metadata and its encoded items. */
export function encodeProtobufList(type: TypeMeta, metadata: Json, items: readonly Uint8Array[]): Uint8Array {
  const fields = new WireWriter();
  writeFields(fields, type, { metadata });
  const start = new WireWriter();
  start.varint(items.reduce((sum, item) => sum + item.length, fields.length));
  start.tag(2, 2);
  writeEnvelopeStart(start, type);
  const end = new WireWriter();
  writeEnvelopeEnd(end);
  return Buffer.concat([start.finish(), fields.finish(), ...items, end.finish()]);
}

/** Encodes a watch event, given its encoded object: the length in four bytes, then a `WatchEvent`. */
export function encodeProtobufEvent(type: string, object: Uint8Array): Uint8Array {
  const to = new WireWriter(object.length + 64);
  to.bytes(1, object);
  to.message(2, 0);
  to.string(1, type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(to.length);
  to.raw(length);
  return to.finish();
}

function writeFields(to: WireWriter, type: TypeMeta, object: Json): void {
  const table = messageTable();
  const index = messageOf(table, type);
  if (index === undefined) throw unknownKind(type);
  new MessageEncoder(table, to).fields(table.at(index), object);
}

/** Writes the part before the object: the prefix and the object's type. */
function writeEnvelopeStart(to: WireWriter, { apiVersion, kind }: TypeMeta): void {
  const before = to.length;
  to.string(2, kind);
  to.string(1, apiVersion);
  to.message(1, before);
  to.raw(prefix);
}

/** Writes the part after the object: an empty content encoding and content type. */
function writeEnvelopeEnd(to: WireWriter): void {
  to.string(4, '');
  to.string(3, '');
}
