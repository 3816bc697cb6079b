import * as crypto from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { issueCertificate, type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it, vi } from 'vitest';
import { Asked } from '../testdata/asked.ts';
import type { Json } from '../testdata/test-server.ts';
import { reportDefinition, Well, WellReport, wellDefinition } from '../testdata/wells.ts';
import { type ComputedChange, computed } from './computed-kind.ts';
import { apiServer } from './extension-server.ts';
import type { ExtensionServerOptions } from './extension-server-options.ts';
import type { KindConversion } from './kind-conversion.ts';

const wells = '/apis/wells.example.com/v1/namespaces/default/wells';
const reports = '/apis/reports.wells.example.com/v1/namespaces/default/wellreports';
const well = (name: string, spec: object = { depth: 3 }): object => ({
  apiVersion: 'wells.example.com/v1',
  kind: 'Well',
  metadata: { name },
  spec,
});

const metres: KindConversion = {
  group: 'wells.example.com',
  kind: 'Well',
  hub: 'v1',
  spokes: new Map([
    [
      'v1beta1',
      {
        toHub: (old) => {
          const { feet, ...rest } = specOf(old);
          return { spec: { ...rest, depth: Number(feet) / 3 } };
        },
        fromHub: (hub) => {
          const { depth, pump } = specOf(hub);
          return { spec: { pump, feet: Number(depth) * 3 } };
        },
      },
    ],
  ]),
};

function specOf(object: KubernetesObject): Record<string, unknown> {
  return (object as unknown as { readonly spec: Record<string, unknown> }).spec;
}

async function linesOf(body: unknown, count: number): Promise<readonly Json[]> {
  const lines: Json[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    for (const line of Buffer.from(chunk).toString().trimEnd().split('\n')) lines.push(JSON.parse(line));
    if (lines.length >= count) break;
  }
  return lines;
}

describe('apiServer', () => {
  it('validates, defaults and prunes the objects of a stored kind, and checks its rules', async () => {
    await using asked = new Asked();
    const made = await asked.send('POST', wells, {
      json: { ...well('w', { depth: 3, unknown: 1 }), status: { level: 1 } },
    });
    expect(made).toMatchObject({
      status: 201,
      json: { metadata: { generation: 1 }, spec: { depth: 3, pump: 'bucket' } },
    });
    expect(made.json.spec).not.toHaveProperty('unknown');
    expect(made.json).not.toHaveProperty('status');
    const invalid = await asked.send('POST', wells, { json: well('x', { depth: 0, pump: 'steam' }) });
    expect(invalid.json).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(invalid.json.details.causes.map(({ field }: Json) => field).sort()).toEqual([
      '<nil>',
      'spec.depth',
      'spec.pump',
    ]);
    const ruled = await asked.send('POST', wells, { json: well('x', { depth: 200 }) });
    expect(ruled.json.message).toContain('a deep well needs a motor');
  });

  it('accepts all patch types, and serves status and scale', async () => {
    await using asked = new Asked();
    await asked.send('POST', wells, { json: well('w') });
    const patch = (path: string, type: string, json: unknown) =>
      asked.send('PATCH', path, { json, headers: { 'content-type': `application/${type}` } });
    const merged = await patch(`${wells}/w`, 'merge-patch+json', { spec: { depth: 5 } });
    expect(merged.json).toMatchObject({ metadata: { generation: 2 }, spec: { depth: 5 } });
    const op = [{ op: 'replace', path: '/spec/depth', value: 6 }];
    expect((await patch(`${wells}/w`, 'json-patch+json', op)).json.spec.depth).toBe(6);
    const applied = { ...well('w', { depth: 7 }) };
    const path = `${wells}/w?fieldManager=tester&force=true`;
    expect((await patch(path, 'apply-patch+yaml', applied)).json.spec.depth).toBe(7);
    expect((await patch(`${wells}/w`, 'strategic-merge-patch+json', {})).status).toBe(415);
    const status = await patch(`${wells}/w/status`, 'merge-patch+json', { status: { level: 2 }, spec: { depth: 9 } });
    expect(status.json).toMatchObject({ spec: { depth: 7 }, status: { level: 2 } });
    const scale = await patch(`${wells}/w/scale`, 'merge-patch+json', { spec: { replicas: 4 } });
    expect(scale.json).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
    expect((await asked.send('GET', `${wells}/w`)).json.spec.buckets).toBe(4);
  });

  it('prints columns and selects by fields', async () => {
    await using asked = new Asked();
    await asked.send('POST', wells, { json: well('a') });
    await asked.send('POST', wells, { json: well('b', { depth: 9, pump: 'motor' }) });
    const selected = await asked.send('GET', `${wells}?fieldSelector=spec.pump%3Dmotor`);
    expect(selected.json.items.map(({ metadata }: Json) => metadata.name)).toEqual(['b']);
    const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const table = (await asked.send('GET', wells, { headers })).json;
    expect(table.columnDefinitions.map(({ name }: Json) => name)).toEqual(['Name', 'Depth']);
    expect(table.rows.map(({ cells }: Json) => cells)).toEqual([
      ['a', 3],
      ['b', 9],
    ]);
  });

  it('converts between versions inside the server', async () => {
    await using asked = new Asked({ conversions: [metres] });
    const beta = wells.replace('v1', 'v1beta1');
    const old = { apiVersion: 'wells.example.com/v1beta1', kind: 'Well', metadata: { name: 'w' }, spec: { feet: 9 } };
    expect(await asked.send('POST', beta, { json: old })).toMatchObject({ status: 201, json: { spec: { feet: 9 } } });
    expect((await asked.send('GET', `${wells}/w`)).json.spec).toEqual({ depth: 3, pump: 'bucket' });
    const listed = (await asked.send('GET', beta)).json;
    expect(listed).toMatchObject({
      kind: 'WellList',
      items: [{ apiVersion: 'wells.example.com/v1beta1', spec: { feet: 9 } }],
    });
  });

  it('serves watches with bookmarks', async () => {
    await using asked = new Asked();
    const first = await asked.send('POST', wells, { json: well('a') });
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=10&resourceVersion=${first.json.metadata.resourceVersion}`;
    const { body } = await asked.server.handle(asked.request('GET', `${wells}?${query}`));
    const lines = linesOf(body, 2);
    await asked.send('DELETE', `${wells}/a`);
    await asked.clock.advance(9_000);
    expect((await lines).map(({ type }) => type)).toEqual(['DELETED', 'BOOKMARK']);
  });

  it('describes its kinds in discovery and OpenAPI', async () => {
    await using asked = new Asked();
    const list = (await asked.send('GET', '/apis/wells.example.com/v1')).json;
    expect(list.resources.map(({ name }: Json) => name)).toEqual(['wells', 'wells/scale', 'wells/status']);
    const headers = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
    const [group] = (await asked.send('GET', '/apis', { headers })).json.items;
    expect(group).toMatchObject({
      metadata: { name: 'wells.example.com' },
      versions: [{ version: 'v1' }, { version: 'v1beta1' }],
    });
    const document = (await asked.send('GET', '/openapi/v3/apis/wells.example.com/v1')).json;
    const { properties } = document.components.schemas['com.example.wells.v1.Well'];
    expect(properties.spec.properties.depth.description).toBe('How deep the well is, in metres.');
    const { definitions } = (await asked.send('GET', '/openapi/v2')).json;
    expect(definitions).toHaveProperty(['com.example.wells.v1.Well']);
  });

  it('serves computed kinds: selectors, tables, watches and creation', async () => {
    const report = (name: string, depth: number) => ({
      metadata: { name, namespace: 'default', labels: { name } },
      depth,
    });
    const all = [report('a', 3), report('b', 9)] as unknown as (KubernetesObject & { depth: number })[];
    async function* changes(): AsyncGenerator<ComputedChange<(typeof all)[number]>> {
      for (const object of all) yield { type: 'ADDED', object };
    }
    const kind = computed(WellReport, {
      get: ({ name }) => all.find(({ metadata }) => metadata.name === name),
      list: () => all,
      watch: changes,
      create: ({ object, user }) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { by: user.username } },
      }),
    });
    await using asked = new Asked({ kinds: [kind] });
    expect((await asked.send('GET', `${reports}/b`)).json).toEqual({
      kind: 'WellReport',
      apiVersion: 'reports.wells.example.com/v1',
      metadata: { name: 'b', namespace: 'default', labels: { name: 'b' } },
      depth: 9,
    });
    expect((await asked.send('GET', `${reports}/c`)).json).toMatchObject({
      code: 404,
      message: 'wellreports.reports.wells.example.com "c" not found',
    });
    const selected = (await asked.send('GET', `${reports}?labelSelector=name%3Db`)).json;
    expect(selected).toMatchObject({ kind: 'WellReportList', items: [{ depth: 9 }] });
    const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const table = (await asked.send('GET', reports, { headers })).json;
    expect(table.rows.map(({ cells }: Json) => cells)).toEqual([
      ['a', 3],
      ['b', 9],
    ]);
    const { body } = await asked.server.handle(asked.request('GET', `${reports}?watch=true&labelSelector=name%3Db`));
    expect(await linesOf(body, 1)).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'b' } } }]);
    const json = { apiVersion: 'reports.wells.example.com/v1', kind: 'WellReport', metadata: { name: 'c' }, depth: 1 };
    const made = await asked.send('POST', reports, { json });
    expect(made).toMatchObject({ status: 201, json: { metadata: { annotations: { by: 'admin' } }, depth: 1 } });
    expect((await asked.send('POST', reports, { json: { ...json, depth: 0 } })).status).toBe(422);
    expect((await asked.send('DELETE', `${reports}/b`)).status).toBe(405);
    const { resources } = (await asked.send('GET', '/apis/reports.wells.example.com/v1')).json;
    expect(resources).toMatchObject([{ name: 'wellreports', verbs: ['get', 'list', 'watch', 'create'] }]);
  });

  describe('a watch of a computed kind', () => {
    async function* silent(): AsyncGenerator<never> {
      await new Promise(() => undefined);
    }
    const kind = computed(WellReport, { watch: silent });
    const ending = async (asked: Asked, query: string, signal = new AbortController().signal) => {
      const { body } = await asked.server.handle(asked.request('GET', `${reports}?watch=true${query}`, { signal }));
      const state = { ended: false };
      const done = linesOf(body, 1).then((lines) => {
        state.ended = true;
        return lines;
      });
      return { state, done };
    };

    it('ends after timeoutSeconds, even if its handler is still waiting', async () => {
      await using asked = new Asked({ kinds: [kind] });
      const { done } = await ending(asked, '&timeoutSeconds=5');
      await asked.clock.advance(5_000);
      expect(await done).toEqual([]);
    });

    it('ends after 30 to 60 minutes by default', async () => {
      await using asked = new Asked({ kinds: [kind] });
      const { state, done } = await ending(asked, '');
      await asked.clock.advance(1_799_000);
      expect(state.ended).toBe(false);
      await asked.clock.advance(1_801_000);
      expect(await done).toEqual([]);
    });

    it('ends when the caller disconnects, even if its handler is still waiting', async () => {
      await using asked = new Asked({ kinds: [kind] });
      const caller = new AbortController();
      const { done } = await ending(asked, '', caller.signal);
      caller.abort();
      expect(await done).toEqual([]);
    });

    it('rejects sendInitialEvents, so that clients fall back to list', async () => {
      await using asked = new Asked({ kinds: [kind] });
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      expect((await asked.send('GET', `${reports}?${query}`)).json).toMatchObject({
        code: 422,
        reason: 'Invalid',
        details: { causes: [{ field: 'sendInitialEvents', reason: 'FieldValueForbidden' }] },
      });
    });
  });

  it('prints internal errors by default', async () => {
    const fail = (): never => {
      throw new TypeError('no measurements');
    };
    const output = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      await using asked = new Asked({ kinds: [computed(WellReport, { list: fail })] });
      expect((await asked.send('GET', reports)).status).toBe(500);
      expect(output.mock.calls.map(([text]) => text)).toContain('apiserver: TypeError: no measurements\n');
    } finally {
      output.mockRestore();
    }
  });

  it('serves only the declared verbs', async () => {
    const [v1] = wellDefinition.versions;
    const definition = { ...wellDefinition, versions: [{ ...v1, verbs: ['get', 'list'] }] };
    await using asked = new Asked({ definitions: { kinds: [definition] } });
    expect((await asked.send('GET', wells)).status).toBe(200);
    expect((await asked.send('POST', wells, { json: well('w') })).status).toBe(405);
  });

  it('rejects excess concurrent requests with Retry-After', async () => {
    await using asked = new Asked({
      limits: { maxWriting: 1, reserved: 0 },
      authorizer: allowAll,
      authenticators: [anyone],
    });
    let send: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      send = resolve;
    });
    async function* slow(): AsyncGenerator<Uint8Array> {
      await held;
      yield Buffer.from(JSON.stringify(well('slow')));
    }
    const connection = { remoteAddress: '10.0.0.1', protocol: 'h2' } as const;
    const first = asked.server.handle(asked.request('POST', wells, { connection, body: slow() }));
    const second = asked.request('POST', wells, { connection, json: well('w') });
    await expect.poll(async () => (await asked.server.handle(second)).status).toBe(429);
    const { headers } = await asked.server.handle(second);
    expect(headers['retry-after']).toBe('1');
    send();
    expect((await first).status).toBe(201);
  });

  it('serves health checks and request metrics', async () => {
    const authorizer = { authorize: async () => ({ decision: 'allow' as const, reason: '' }) };
    await using asked = new Asked({ authorizer, authenticators: [anyone] });
    await asked.server.start();
    const get = async (path: string): Promise<string> => {
      const ca = asked.server.authority;
      const [response] = (await once(
        request(new URL(path, asked.server.url), { ca, agent: false }).end(),
        'response',
      )) as [IncomingMessage];
      return (await response.toArray()).join('');
    };
    for (const path of ['/healthz', '/livez', '/readyz']) expect(await get(path)).toBe('ok');
    expect(JSON.parse(await get(wells)).items).toEqual([]);
    expect(await get('/metrics')).toMatch(/^apiserver_request_total\{.*resource="wells".*verb="LIST".*\} 1$/m);
  });

  it('without a cluster, authorizes no one outside the process', async () => {
    await using asked = new Asked();
    const connection = {
      remoteAddress: '10.0.0.1',
      protocol: 'h2',
      clientCertificate: { commonName: 'admin', organizations: ['system:masters'] },
    } as const;
    expect((await asked.send('GET', wells, { connection })).json).toMatchObject({ code: 403, reason: 'Forbidden' });
  });

  it('without a cluster, authenticates users by certificates of the CA in its options', async () => {
    const clock = new VirtualClock(Date.now());
    const life = { notBeforeMs: clock.now() - 1_000, notAfterMs: clock.now() + 86_400_000 };
    const certificatesOf = (name: string) => {
      const subject = { commonName: name };
      const ca = { ...issueCertificate({ subject, usage: 'authority', ...life }, crypto), subject };
      const user = { commonName: 'jane', organizations: ['system:masters'] };
      return { ca, user: issueCertificate({ subject: user, usage: 'client', issuer: ca, ...life }, crypto) };
    };
    const trusted = certificatesOf('users');
    const other = certificatesOf('others');
    await using asked = new Asked({ clientCa: trusted.ca.certificate, clock });
    await asked.server.start();
    const ca = asked.server.authority ?? '';
    const status = async (user?: { readonly certificate: string; readonly key: string }) => {
      const identity = user && { cert: user.certificate, key: user.key };
      const sent = request(new URL(wells, asked.server.url), { ca, agent: false, ...identity });
      const [{ statusCode }] = (await once(sent.end(), 'response')) as [IncomingMessage];
      return statusCode;
    };
    expect(await status(trusted.user)).toBe(200);
    expect(await status(other.user)).toBe(401);
    expect(await status()).toBe(403);
  });

  it('rejects a kind if only some of its versions are computed', () => {
    const kind = computed(Well, { list: () => [] });
    expect(() => apiServer({ kinds: [kind], definitions: { kinds: [wellDefinition] } })).toThrow(
      'cannot serve Well (wells.example.com): some versions of the kind are computed, but not v1beta1; pass computed() for v1beta1 too, or stop serving this version',
    );
    const beta = computed({ ...Well, version: 'v1beta1' } as typeof Well, { list: () => [] });
    expect(() => apiServer({ kinds: [kind, beta], definitions: { kinds: [wellDefinition] } })).not.toThrow();
  });

  it('rejects kinds without a valid definition', () => {
    const start = (definition: object) => (): unknown =>
      apiServer({ kinds: [Well], definitions: { kinds: [definition] } });
    expect(start(reportDefinition)).toThrow(
      "cannot serve Well (wells.example.com/v1): no generated definition of the kind was passed; set servedBy: 'aggregated' in the defineKind call, run kubewright generate, and pass config/apiserver/kinds.json as definitions",
    );
    const [v1] = wellDefinition.versions;
    const invalid = { ...wellDefinition, versions: [{ ...v1, schema: { openAPIV3Schema: { type: 'text' } } }] };
    expect(start(invalid)).toThrow(/^cannot serve Well \(wells.example.com\): .*fix the type of the kind/s);
  });
});

const allowAll: ExtensionServerOptions['authorizer'] = { authorize: async () => ({ decision: 'allow', reason: '' }) };
const anyone = { authenticate: async () => ({ username: 'anyone', groups: [] }) };
