import { MessageDecoder } from './message-decoder.ts';
import { messageOf, messageTable } from './messages.ts';
import { ProtobufError, unknownKind } from './protobuf-error.ts';
import { WireReader } from './wire-reader.ts';

/** The media type of Kubernetes' protobuf bodies. */
const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** Limits for {@link decodeProtobuf}. The size in bytes is limited elsewhere, when the body is received. */
export interface ProtobufLimits {
  /** Maximum nesting depth of messages. @defaultValue 200 */
  readonly maxDepth?: number;
  /**
   * Maximum total number of messages, list elements and map entries. Each takes as few as two bytes, so a small body
   * could create many. @defaultValue 500000
   */
  readonly maxValues?: number;
}

/** A decoded body. */
export interface DecodedProtobuf {
  /** `apiVersion` in the envelope; empty if the envelope has none. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Plain JSON, with `apiVersion` and `kind` first. */
  readonly object: Record<string, unknown>;
}

const prefix = [0x6b, 0x38, 0x73, 0x00];

/** True if the bytes start with `k8s\0`, the prefix of Kubernetes' protobuf format. */
export function isProtobuf(bytes: Uint8Array): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

/**
 * Decodes an object of a built-in kind from Kubernetes' protobuf envelope (`k8s\0`, `runtime.Unknown`). The result
 * equals the object's JSON form, except that fields that are null in JSON are absent.
 *
 * Drops zero values that JSON omits (`omitempty`) but Go's protobuf encoder writes. Skips unknown fields, as upstream
 * does.
 *
 * @param fallback - the type to assume if the envelope has none
 * @throws {@link ProtobufError} if the bytes are not such an object, exceed a limit, or contain an integer that a double
 * cannot represent
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  fallback?: { readonly apiVersion: string; readonly kind: string },
  limits: ProtobufLimits = {},
): DecodedProtobuf {
  const envelope = readEnvelope(bytes);
  const apiVersion = envelope.apiVersion || (fallback?.apiVersion ?? '');
  const kind = envelope.kind || (fallback?.kind ?? '');
  const table = messageTable();
  const index = messageOf(table, { apiVersion, kind });
  if (index === undefined) throw unknownKind({ apiVersion, kind });
  const decoder = new MessageDecoder(table, {
    maxDepth: limits.maxDepth ?? 200,
    maxValues: limits.maxValues ?? 500_000,
    decodeEnvelope: (raw) => decodeProtobuf(raw, undefined, limits).object,
  });
  const object: Record<string, unknown> = { apiVersion, kind };
  decoder.into(object, { reader: new WireReader(envelope.raw), message: table.at(index), depth: 0 });
  return { apiVersion, kind, object };
}

interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Uint8Array;
}

function readEnvelope(bytes: Uint8Array): Envelope {
  if (!isProtobuf(bytes)) {
    throw new ProtobufError('malformed', 'the body does not appear to be a protobuf message, expected prefix k8s\\0');
  }
  const envelope: Envelope = { apiVersion: '', kind: '', raw: new Uint8Array(0) };
  const reader = new WireReader(bytes, prefix.length);
  while (!reader.atEnd) {
    const tag = reader.tag();
    if (tag === 0x0a) readTypeMeta(reader.message(), envelope);
    else if (tag === 0x12) envelope.raw = reader.bytes();
    else if (tag === 0x1a) reject('content encoding', reader.string());
    else if (tag === 0x22) reject('content type', reader.string());
    else reader.skip(tag & 7);
  }
  return envelope;
}

function readTypeMeta(reader: WireReader, envelope: Envelope): void {
  while (!reader.atEnd) {
    const tag = reader.tag();
    if (tag === 0x0a) envelope.apiVersion = reader.string();
    else if (tag === 0x12) envelope.kind = reader.string();
    else reader.skip(tag & 7);
  }
}

function reject(what: string, value: string): void {
  if (value === '' || value === protobufMediaType) return;
  throw new ProtobufError('malformed', `unsupported ${what} in the protobuf envelope: ${value.slice(0, 100)}`);
}
