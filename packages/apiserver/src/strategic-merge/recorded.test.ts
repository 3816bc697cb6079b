import { readFileSync } from 'node:fs';
import { builtinSchema, decodeValue } from '@kubewright/schema/internal';
import { describe, expect, it } from 'vitest';
import { StrategicMergeError } from './strategic-merge-error.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

type Plain = Readonly<Record<string, unknown>>;
interface Answer {
  readonly on: string;
  readonly patch: Plain;
  readonly code: number;
  readonly object?: Plain;
  readonly message?: string;
}

const { live, answers } = JSON.parse(readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8')) as {
  readonly live: Readonly<Record<string, Plain>>;
  readonly answers: readonly Answer[];
};

/** Removes empty values of optional fields, which typed kinds omit when they are serialized. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .map(([key, item]) => [key, tidy(item)] as const)
    .filter(([key, item]) => {
      if (Array.isArray(item)) return item.length > 0;
      return key === 'emptyDir' || typeof item !== 'object' || item === null || Object.keys(item).length > 0;
    });
  return Object.fromEntries(kept);
}

describe('strategicMergePatch', () => {
  it.each(answers.map((answer) => [`${answer.on} ${JSON.stringify(answer.patch)}`, answer] as const))(
    'patches %s as kube-apiserver 1.36 does',
    (_, { on, patch, code, object, message }) => {
      const original = live[on] ?? {};
      const kind = String(original['kind']);
      const schema = builtinSchema({ group: kind === 'Deployment' ? 'apps' : '', version: 'v1', kind });
      if (schema === undefined) throw new Error(`no schema for ${kind}`);
      const before = JSON.stringify([original, patch]);
      let result: unknown;
      let error: unknown;
      try {
        result = strategicMergePatch(original, patch, schema);
      } catch (caught) {
        error = caught;
      }
      expect(JSON.stringify([original, patch])).toBe(before);
      if (code < 300) {
        expect(error).toBeUndefined();
        // Defaults that the server adds later are not part of the patch.
        expect(tidy(object)).toMatchObject(tidy(decodeValue(schema, result).value) as object);
        expect(listOrders(object)).toEqual(listOrders(decodeValue(schema, result).value));
      } else if (!/ is invalid: | cannot be handled as |unmarshal/.test(message ?? '')) {
        expect(error).toBeInstanceOf(StrategicMergeError);
        const { httpStatus, message: text } = error as StrategicMergeError;
        expect(httpStatus).toBe(code);
        expect(message).toContain(text);
      }
    },
  );
});

/** Returns the names of all list elements in order, to compare the order of merged lists with the server's. */
function listOrders(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    const names = value.map((item) => (typeof item === 'object' && item !== null ? (item as Plain)['name'] : item));
    return [`${path}=${JSON.stringify(names)}`, ...value.flatMap((item, i) => listOrders(item, `${path}[${i}]`))];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value)
    .sort()
    .flatMap((key) => listOrders((value as Plain)[key], `${path}.${key}`))
    .filter((line) => !line.startsWith('.status') && !line.endsWith('=[]'));
}
