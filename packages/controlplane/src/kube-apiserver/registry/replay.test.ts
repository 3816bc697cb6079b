import { readFileSync } from 'node:fs';
import { defined } from '@kubewright/apimachinery/internal';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type Answer, type Json, TestServer, withBuiltinKinds } from '../testdata/test-server.ts';
import { accepted } from './testdata/accepted-differences.ts';
import { requests } from './testdata/requests.mjs';

interface Recorded {
  readonly status: number;
  readonly warning?: string;
  readonly json?: Json;
  readonly text?: string;
}

const recorded = JSON.parse(
  readFileSync(new URL('./testdata/answers-1.36.3.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

/** A name that occurs nowhere else in the responses. */
const namespace = 'rec-0815';

function neutralText(text: string): string {
  return text.replaceAll(namespace, 'NS');
}

function identity(entry: unknown): string {
  const { manager, operation, subresource, apiVersion } = entry as Json;
  return [manager, operation, subresource, apiVersion].join(' ');
}

/** Returns a response without values that differ from run to run. */
function normalize(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => normalize(item));
    // The server sorts entries by time, and times differ from run to run.
    if (key === 'managedFields') return items.sort((a, b) => (identity(a) < identity(b) ? -1 : 1));
    // Upstream repeats causes every time validation runs.
    return key === 'causes' ? [...new Map(items.map((item) => [JSON.stringify(item), item])).values()] : items;
  }
  if (typeof value === 'object' && value !== null) {
    const out: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(value)) if (name !== 'description') out[name] = normalize(item, name);
    return out;
  }
  if (typeof value !== 'string') return value;
  if (key === 'uid' && /^[0-9a-f-]{36}$/.test(value)) return 'UID';
  if (key === 'resourceVersion' && value !== '') return 'RV';
  if (key === 'continue') return 'TOKEN';
  return value
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/, current: \d+/g, ', current: RV')
    .replace(/in record \(\d+\)/g, 'in record (RV)')
    .replace(/^(?:(?:\d+[smhd])+|<unknown>)$/, 'AGE')
    .replace(/Invalid value: "\{.*\}":/, 'Invalid value: OBJECT:');
}

describe('responses recorded from the real API server', () => {
  const answers: Answer[] = [];

  beforeAll(async () => {
    const server = await TestServer.start(withBuiltinKinds);
    await server.post('/api/v1/namespaces', { metadata: { name: namespace } });
    const here = (value: unknown): Json =>
      JSON.parse(JSON.stringify(value ?? null).replaceAll('NS', namespace)) ?? undefined;
    for (const [method, path, body, headers] of requests) {
      const pending = server.send(method, here(path), { body: here(body), ...defined({ headers }) });
      await new Promise((resolve) => setImmediate(resolve));
      await server.clock.advance(3_001); // requests that wait for a version time out
      answers.push(await pending);
    }
  });

  for (const [index, [method, path, body, headers]] of requests.entries()) {
    const form = headers?.['content-type'] ?? headers?.['accept'] ?? '';
    const shown = `${method} ${path.slice(0, 120)} ${JSON.stringify(body ?? '').slice(0, 140)} ${form}`;
    it(`${index}: ${shown}`, () => {
      const want = recorded[index] as Recorded;
      const got = answers[index] as Answer;
      const difference = accepted(method, path, body);
      if (difference !== undefined) {
        expect(got.status, difference.why).toBe(difference.status);
        return;
      }
      const json = got.text.startsWith('{') ? normalize(JSON.parse(neutralText(got.text))) : undefined;
      if (want.text?.startsWith('apiVersion: ')) {
        expect(normalize(parseYaml(neutralText(got.text)))).toEqual(normalize(parseYaml(want.text)));
        return;
      }
      expect({ status: got.status, json: json ?? got.text.trim() === want.text?.trim() }).toEqual({
        status: want.status,
        json: want.json ? normalize(want.json) : true,
      });
      if (want.warning) expect([got.headers['warning']].flat().join(', ')).toBe(want.warning);
    });
  }
});
