import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf, encodeProtobufEvent, encodeProtobufItem, encodeProtobufList, hasProtobuf } from './encode.ts';
import recorded from './testdata/objects.json' with { type: 'json' };

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

describe('encodeProtobuf', () => {
  it.each(recorded.map((entry) => [entry.path, entry] as const))('encodes %s as kube-apiserver does', (_, entry) => {
    const { apiVersion, kind, ...object } = entry.json;
    const encoded = encodeProtobuf({ apiVersion, kind }, object);
    // Compares the decoded objects, because Go also writes empty values, which decoders treat as absent.
    expect(decodeProtobuf(encoded)).toEqual(decodeProtobuf(bytesOf(entry.protobuf)));
  });

  it('writes fields in the same order as Go', () => {
    const type = { apiVersion: 'v1', kind: 'ConfigMap' };
    const data = { b: 'é', a: 'x'.repeat(200) };
    const encoded = Buffer.from(encodeProtobuf(type, { metadata: { name: 'n' }, data })).toString('latin1');
    const order = ['k8s\0', 'v1', 'ConfigMap', '\x0a\x01n', '\x0a\x01a', '\x0a\x01b'].map((text) =>
      encoded.indexOf(text),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it('encodes large and negative integers exactly', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    for (const generation of [0, -5, 127, 128, Number.MAX_SAFE_INTEGER, 2n ** 63n - 1n, -(2n ** 63n)]) {
      const { object } = decodeProtobuf(encodeProtobuf(pod, { metadata: { generation }, spec: { priority: -7 } }));
      expect(object).toMatchObject({ metadata: generation === 0 ? {} : { generation }, spec: { priority: -7 } });
    }
  });

  it("writes Go's zero values for nulls in lists and maps", () => {
    const spec = { containers: [null, { name: 'c', args: [null, 'a'] }], nodeSelector: { a: null } };
    const { object } = decodeProtobuf(encodeProtobuf({ apiVersion: 'v1', kind: 'Pod' }, { spec }));
    expect(object).toMatchObject({
      spec: { containers: [{}, { name: 'c', args: ['', 'a'] }], nodeSelector: { a: '' } },
    });
  });

  it('encodes lists from their items', () => {
    const items = ['a', 'b'].map((name) => ({ metadata: { name } }));
    const list = encodeProtobufList(
      { apiVersion: 'v1', kind: 'ConfigMapList' },
      { resourceVersion: '7', remainingItemCount: 3 },
      items.map((item) => encodeProtobufItem({ apiVersion: 'v1', kind: 'ConfigMap' }, item)),
    );
    expect(decodeProtobuf(list).object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata: { resourceVersion: '7', remainingItemCount: 3 },
      items,
    });
  });

  it('encodes watch events with a length prefix', () => {
    const status = encodeProtobuf({ apiVersion: 'v1', kind: 'Status' }, { code: 410 });
    const event = Buffer.from(encodeProtobufEvent('ERROR', status));
    expect(event.readUInt32BE(0)).toBe(event.length - 4);
    expect([...event.subarray(4, 11)]).toEqual([0x0a, 5, ...Buffer.from('ERROR')]);
    expect(event.subarray(-status.length)).toEqual(Buffer.from(status));
  });

  it('reports which kinds have a protobuf encoding', () => {
    expect(hasProtobuf({ apiVersion: 'apps/v1', kind: 'Deployment' })).toBe(true);
    expect(hasProtobuf({ apiVersion: 'example.com/v1', kind: 'Deployment' })).toBe(false);
    expect(() => encodeProtobuf({ apiVersion: 'example.com/v1', kind: 'Well' }, {})).toThrow(
      'Well of example.com/v1 has no protobuf encoding',
    );
  });
});
