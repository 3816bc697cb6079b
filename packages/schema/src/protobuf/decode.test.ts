import { describe, expect, it } from 'vitest';
import { decodeProtobuf, isProtobuf } from './decode.ts';
import { ProtobufError } from './protobuf-error.ts';
import recorded from './testdata/objects.json' with { type: 'json' };

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

/** Removes nulls, because fields that are null in JSON are absent in protobuf. Raw JSON keeps nulls. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}

/**
 * Removes `apiVersion` and `kind` of nested objects. Protobuf has no fields for them, so upstream's decoder loses them
 * too.
 */
function withoutEmbeddedTypes(json: unknown): unknown {
  const text = JSON.stringify(json).replaceAll('[{"kind":"PersistentVolumeClaim","apiVersion":"v1",', '[{');
  return JSON.parse(text);
}

describe('decodeProtobuf', () => {
  it.each(recorded.map((entry) => [entry.path, entry] as const))('decodes %s to its JSON', (_, entry) => {
    const { object, apiVersion, kind } = decodeProtobuf(bytesOf(entry.protobuf));
    expect(apiVersion).toBe(entry.json.apiVersion);
    expect(kind).toBe(entry.json.kind);
    expect(withoutNulls(object)).toEqual(withoutNulls(withoutEmbeddedTypes(entry.json)));
  });

  it('covers at least 45 kinds', () => {
    expect(new Set(recorded.map((entry) => `${entry.json.apiVersion} ${entry.json.kind}`)).size).toBeGreaterThanOrEqual(
      45,
    );
  });

  it('decodes a truncated or corrupted pod, or fails with a typed error', () => {
    const pod = recorded.find((entry) => entry.json.kind === 'Pod');
    const bytes = bytesOf(pod?.protobuf ?? '');
    for (let length = 0; length < bytes.length; length += 7) {
      outcome(bytes.subarray(0, length));
      const flipped = bytes.slice();
      flipped[length] = (flipped[length] ?? 0) ^ 0xff;
      outcome(flipped);
    }
  });

  it('recognizes the format by its prefix', () => {
    expect(isProtobuf(new TextEncoder().encode('{"kind":"Pod"}'))).toBe(false);
    expect(() => decodeProtobuf(new TextEncoder().encode('{}'))).toThrow(ProtobufError);
  });
});

function outcome(bytes: Uint8Array): void {
  try {
    decodeProtobuf(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(ProtobufError);
  }
}
