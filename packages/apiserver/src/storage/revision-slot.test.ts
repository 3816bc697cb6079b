import { describe, expect, it } from 'vitest';
import { withRevision, writeRevisioned } from './revision-slot.ts';

const head = '"kind":"Pod","apiVersion":"v1",';

describe('withRevision', () => {
  it.each([
    [
      'after the uid',
      '"name":"a","namespace":"b","uid":"c","creationTimestamp":null',
      '"name":"a","namespace":"b","uid":"c",RV,"creationTimestamp":null',
    ],
    ['after the last preceding field', '"name":"a","labels":{"uid":"x"}', '"name":"a",RV,"labels":{"uid":"x"}'],
    ['after the only field', '"name":"a"', '"name":"a",RV'],
    ['before other fields', '"labels":{}', 'RV,"labels":{}'],
    ['into empty metadata', '', 'RV'],
    ['after a name with quotes', '"name":"a\\"b\\\\","uid":"c"', '"name":"a\\"b\\\\","uid":"c",RV'],
  ])('puts the resourceVersion %s', (_, metadata, expected) => {
    const bytes = Buffer.from(`{${head}"metadata":{${metadata}},"spec":{}}`);
    const text = Buffer.from(withRevision({ bytes, revision: 12 })).toString();
    expect(text).toBe(`{${head}"metadata":{${expected.replace('RV', '"resourceVersion":"12"')}},"spec":{}}`);
    expect(JSON.parse(text).metadata.resourceVersion).toBe('12');
  });

  it('accepts JSON that another program laid out differently', () => {
    const bytes = Buffer.from('{ "metadata": {"name": "a"}, "kind": "Pod", "apiVersion": "v1", "spec": {} }');
    const text = Buffer.from(withRevision({ bytes, revision: 7 })).toString();
    expect(text).toBe(`{${head}"metadata":{"name":"a","resourceVersion":"7"},"spec":{}}`);
  });

  it('leaves an object without a revision unchanged', () => {
    const bytes = Buffer.from(`{${head}"metadata":{}}`);
    expect(withRevision({ bytes, revision: 0 })).toBe(bytes);
  });
});

describe('writeRevisioned', () => {
  it('writes an object without its first bytes', () => {
    const bytes = Buffer.from(`{${head}"metadata":{"name":"a"}}`);
    const target = Buffer.alloc(100, '.');
    const end = writeRevisioned(target, 3, { bytes, revision: 5 }, head.length + 1);
    expect(target.toString('utf8', 0, end)).toBe('..."metadata":{"name":"a","resourceVersion":"5"}}');
  });
});
