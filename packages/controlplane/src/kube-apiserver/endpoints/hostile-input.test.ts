import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { ResourceDefinition } from '@kubewright/apiserver';
import type { SchemaNode } from '@kubewright/schema/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

/** Names of properties that every plain object inherits. */
const words = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

/**
 * A way to fill a schema with hostile but well-formed values: one word as every string and key, empty collections or only nulls,
 * or the largest or smallest integer of each size.
 */
type Style =
  | { readonly word: string; readonly integers?: { readonly int32: number; readonly int64: bigint } }
  | { readonly holds: 'nothing' | 'null' };

/** Strings that types with a fixed format accept. */
const wellFormed: Readonly<Record<string, string>> = {
  'resource.Quantity': '1',
  'v1.Duration': '1s',
  'v1.MicroTime': '2026-01-01T00:00:00.000000Z',
  'v1.Time': '2026-01-01T00:00:00Z',
  byte: 'eA==',
};

function make(node: SchemaNode, style: Style, depth = 0): unknown {
  switch (node.type) {
    case 'string':
      if ('word' in style && style.integers) return wellFormed[node.typeName ?? node.format ?? ''] ?? style.word;
      return 'word' in style ? style.word : '';
    case 'integer':
      return 'word' in style && style.integers ? style.integers[node.format === 'int32' ? 'int32' : 'int64'] : 1;
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      if (!('word' in style)) return style.holds === 'nothing' ? [] : [null];
      return depth > 9 || node.items === undefined ? [] : [make(node.items, style, depth + 1)];
    case 'object': {
      if (depth > 9 || ('holds' in style && style.holds === 'nothing' && depth > 1)) return {};
      const made: [string, unknown][] = [];
      for (const [name, field] of node.properties ?? []) made.push([name, make(field, style, depth + 1)]);
      const { additionalProperties: values } = node;
      if (typeof values === 'object' && 'word' in style) made.push([style.word, make(values, style, depth + 1)]);
      if ('holds' in style && style.holds === 'null' && depth > 1) return null;
      return Object.fromEntries(made);
    }
    default:
      return 'word' in style ? style.word : null;
  }
}

describe('hostile input', () => {
  let plane: PlaneUnderTest;

  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
    for (const name of ['default', 'a']) await plane.send('POST', '/api/v1/namespaces', { metadata: { name } });
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  function rootOf({ group, version, resource, scope }: ResourceDefinition): string {
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    return `${root}/${scope === 'Namespaced' ? 'namespaces/a/' : ''}${resource}`;
  }

  /** Sends requests and returns the requests that get a server error. */
  async function faults(style: Style): Promise<readonly string[]> {
    const found: string[] = [];
    const ask = async (method: string, path: string, body: unknown, type = 'application/json'): Promise<void> => {
      plane.errors.length = 0;
      const target = `${path}${path.includes('?') ? '&' : '?'}dryRun=All`;
      const { status } = await plane.send(method, target, stringifyJson(body), { 'content-type': type });
      if (plane.errors.length > 0) found.push(`${method} ${path}: ${status} ${String(plane.errors[0])}`);
    };
    for (const definition of plane.plane.catalog.all()) {
      const { group, version, kind, schema, subresources } = definition;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const { metadata, ...rest } = make(schema, style) as { readonly metadata?: object };
      const given = 'word' in style && style.integers ? metadata : {};
      const object = { ...rest, apiVersion, kind, metadata: { ...given, name: 'x', namespace: undefined } };
      const path = rootOf(definition);
      await ask('POST', path, object);
      await ask('PUT', `${path}/x`, object);
      await ask('PATCH', `${path}/x?fieldManager=m&force=true`, object, 'application/apply-patch+yaml');
      for (const name of subresources.keys()) {
        await ask('POST', `${path}/x/${name}`, object);
        await ask('PUT', `${path}/x/${name}`, object);
      }
    }
    return found;
  }

  it.each(words)('causes no server error when every string is %s', async (word) => {
    expect(await faults({ word })).toEqual([]);
  });

  it.each(['nothing', 'null'] as const)('causes no server error when collections hold %s', async (holds) => {
    expect(await faults({ holds })).toEqual([]);
  });

  it.each([
    ['largest', { int32: 2 ** 31 - 1, int64: 2n ** 63n - 1n }],
    ['smallest', { int32: -(2 ** 31), int64: -(2n ** 63n) }],
  ])('causes no server error when every integer is the %s', async (_size, integers) => {
    expect(await faults({ word: 'x', integers })).toEqual([]);
  });

  it.each(words)('causes no server error when URL, method and headers are %s', async (word) => {
    plane.errors.length = 0;
    const paths = [
      `/${word}`,
      `/api/v1/${word}`,
      `/apis/${word}/${word}/${word}`,
      `/api/v1/namespaces/${word}/${word}/${word}/${word}`,
      `/api/v1/pods?fieldSelector=${word}%3Dx&labelSelector=${word}`,
      `/api/v1/pods?${word}=${word}`,
      `/openapi/v3/${word}`,
      `/metrics/${word}`,
    ];
    const statuses: number[] = [];
    for (const path of paths) {
      for (const method of ['GET', 'POST', word]) {
        const headers = { accept: word, 'content-type': word, 'impersonate-user': word };
        statuses.push((await plane.send(method, path, method === 'GET' ? undefined : {})).status);
        statuses.push((await plane.send(method, path, method === 'GET' ? undefined : {}, headers)).status);
      }
    }
    expect(plane.errors).toEqual([]);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });
});
