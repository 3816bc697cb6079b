import { conflict, type KubernetesObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import { Asked } from '../testdata/asked.ts';
import { reportDefinition, WellReport } from '../testdata/wells.ts';
import { type ComputedHandlers, computed } from './computed-kind.ts';

const wellReports = { group: WellReport.group, resource: WellReport.plural };

type Report = KubernetesObject & { readonly depth: number };

const path = '/apis/reports.wells.example.com/v1/namespaces/default/wellreports';
const json = (name: string, depth: number, metadata: object = {}) => ({
  apiVersion: 'reports.wells.example.com/v1',
  kind: 'WellReport',
  metadata: { name, ...metadata },
  depth,
});
const merge = { 'content-type': 'application/merge-patch+json' };

/** Keeps versioned reports outside the server. */
class Reports {
  readonly kept = new Map<string, Report>();
  version = 0;
  readonly calls: string[] = [];

  readonly handlers: ComputedHandlers<Report> = {
    get: ({ name }) => this.kept.get(name),
    list: () => [...this.kept.values()],
    create: ({ object }) => this.#keep('create', object),
    update: ({ name, object, old }) => {
      if (old !== this.kept.get(name)) throw conflict(wellReports, name, 'it has changed');
      return this.#keep('update', object);
    },
    delete: ({ name, user }) => {
      this.calls.push(`delete ${name} by ${user.username}`);
      this.kept.delete(name);
    },
  };

  #keep(verb: string, object: Report): Report {
    const resourceVersion = String(++this.version);
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion } };
    const { name = '' } = object.metadata;
    this.calls.push(`${verb} ${name} ${object.depth}`);
    this.kept.set(name, stored);
    return stored;
  }
}

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

async function start(admissionPlugins: readonly AdmissionPlugin[] = []): Promise<{ asked: Asked; reports: Reports }> {
  const reports = new Reports();
  const asked = new Asked({ kinds: [computed(WellReport, reports.handlers)], admissionPlugins });
  expect((await asked.send('POST', path, { json: json('a', 3) })).status).toBe(201);
  reports.calls.length = 0;
  return { asked, reports };
}

describe('computed', () => {
  it('updates objects with the checks of stored kinds, and passes the result to a handler', async () => {
    const { asked, reports } = await start();
    await using _ = asked;
    const updated = await asked.send('PUT', `${path}/a`, { json: json('a', 4, { resourceVersion: '1' }) });
    expect(updated).toMatchObject({ status: 200, json: { depth: 4, metadata: { resourceVersion: '2' } } });
    expect((await asked.send('PUT', `${path}/a`, { json: json('a', 0) })).json).toMatchObject({ code: 422 });
    const late = await asked.send('PUT', `${path}/a`, { json: json('a', 5, { resourceVersion: '1' }) });
    expect(late.json).toMatchObject({ code: 409, reason: 'Conflict' });
    expect((await asked.send('PUT', `${path}/b`, { json: json('b', 5) })).status).toBe(404);
    expect((await asked.send('PUT', `${path}/a?dryRun=All`, { json: json('a', 7) })).json).toMatchObject({ depth: 7 });
    expect((await asked.send('PUT', `${path}/a`, { json: json('a', 4) })).status).toBe(200);
    expect(reports.calls).toEqual(['update a 4']);
  });

  it('patches objects, and applies them on the server', async () => {
    const { asked, reports } = await start();
    await using _ = asked;
    const patched = await asked.send('PATCH', `${path}/a`, { json: { depth: 8 }, headers: merge });
    expect(patched).toMatchObject({ status: 200, json: { depth: 8 } });
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const apply = (name: string, depth: number) =>
      asked.send('PATCH', `${path}/${name}?fieldManager=test`, { json: json(name, depth), headers });
    expect((await apply('b', 2)).status).toBe(201);
    expect((await apply('a', 9)).json).toMatchObject({
      code: 409,
      message:
        'Apply failed with 1 conflict: conflict with "before-first-apply" using reports.wells.example.com/v1: .depth',
    });
    expect(reports.calls).toEqual(['update a 8', 'create b 2']);
  });

  it('deletes objects after preconditions and admission', async () => {
    const guard: AdmissionPlugin = {
      name: 'guard',
      validate: async ({ operation, oldObject }) => {
        if (operation === 'DELETE' && oldObject?.metadata.name === 'kept') throw conflict(wellReports, 'kept', 'kept');
      },
    };
    const { asked, reports } = await start([guard]);
    await using _ = asked;
    await asked.send('POST', path, { json: json('kept', 1) });
    const body = { preconditions: { resourceVersion: '7' } };
    expect((await asked.send('DELETE', `${path}/a`, { json: body })).status).toBe(409);
    expect((await asked.send('DELETE', `${path}/kept`)).status).toBe(409);
    expect((await asked.send('DELETE', `${path}/a`)).json).toMatchObject({ status: 'Success' });
    expect((await asked.send('DELETE', `${path}/a`)).status).toBe(404);
    expect(reports.calls.at(-1)).toBe('delete a by admin');
  });

  it('deletes the listed objects of a collection one by one, after admission of each', async () => {
    const guard: AdmissionPlugin = {
      name: 'guard',
      validate: async ({ operation, oldObject }) => {
        if (operation === 'DELETE' && oldObject?.metadata.name === 'kept') throw conflict(wellReports, 'kept', 'kept');
      },
    };
    const { asked, reports } = await start([guard]);
    await using _ = asked;
    const names = () => [...reports.kept.keys()];
    for (const name of ['b', 'c']) await asked.send('POST', path, { json: json(name, 1, { labels: { pump: 'off' } }) });
    await asked.send('DELETE', `${path}?labelSelector=pump%3Doff&dryRun=All`);
    expect(names()).toEqual(['a', 'b', 'c']);
    const { status, json: deleted } = await asked.send('DELETE', `${path}?labelSelector=pump%3Doff`);
    const items = (deleted.items as readonly KubernetesObject[]).map(({ metadata }) => metadata.name);
    expect([status, items, names()]).toEqual([200, ['b', 'c'], ['a']]);
    expect(reports.calls.slice(-2)).toEqual(['delete b by admin', 'delete c by admin']);
    await asked.send('POST', path, { json: json('kept', 1) });
    expect((await asked.send('DELETE', path)).status).toBe(409);
    expect(names()).toEqual(['kept']);
  });

  it.each(['Foreground', 'Orphan'])('deletes objects immediately with the propagation policy %s', async (policy) => {
    for (const isUpdated of [true, false]) {
      const reports = new Reports();
      const { update, ...rest } = reports.handlers;
      const kind = computed(WellReport, isUpdated ? { ...rest, ...(update && { update }) } : rest);
      await using asked = new Asked({ kinds: [kind] });
      await asked.send('POST', path, { json: json('a', 3) });
      const deleted = await asked.send('DELETE', `${path}/a`, { json: { propagationPolicy: policy } });
      expect(deleted).toMatchObject({ status: 200, json: { status: 'Success' } });
      expect(reports.calls).toEqual(['create a 3', 'delete a by admin']);
    }
  });

  it('lists the verbs of its handlers, and requires get for handlers that change objects', async () => {
    const { asked } = await start();
    await using _ = asked;
    const { resources } = (await asked.send('GET', '/apis/reports.wells.example.com/v1')).json;
    expect(resources[0].verbs.sort()).toEqual([
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
    ]);
    const kinds = [computed(WellReport, { update: ({ object }) => object })];
    expect(() => new Asked({ kinds, definitions: { kinds: [reportDefinition] } })).toThrow('requires a get handler');
  });

  it('passes the query of lists and watches, and returns pages', async () => {
    const queries: object[] = [];
    const all = ['a', 'b'].map((name) => ({ metadata: { name, namespace: 'default' }, depth: 1 }) as Report);
    const kind = computed(WellReport, {
      list: ({ user: _user, signal: _signal, ...query }) => {
        queries.push(query);
        return { items: all.slice(0, 1), resourceVersion: '12', continue: 'next', remainingItemCount: 1 };
      },
      watch({ resourceVersion }) {
        queries.push({ resourceVersion });
        return nothing();
      },
    });
    await using asked = new Asked({ kinds: [kind] });
    const page = await asked.send('GET', `${path}?limit=1&continue=t&labelSelector=a&fieldSelector=metadata.name%3Da`);
    expect(page.json).toMatchObject({
      metadata: { resourceVersion: '12', continue: 'next', remainingItemCount: 1 },
      items: [],
    });
    await asked.server.handle(asked.request('GET', `${path}?watch=true&resourceVersion=12`));
    expect(queries).toEqual([
      {
        namespace: 'default',
        labelSelector: 'a',
        fieldSelector: 'metadata.name=a',
        resourceVersion: '',
        limit: 1,
        continue: 't',
      },
      { resourceVersion: '12' },
    ]);
  });

  it('serves subresources with their own protocol', async () => {
    const reports = new Reports();
    const kind = computed(WellReport, {
      ...reports.handlers,
      subresources: {
        measure: {
          verbs: ['create'],
          async connect({ name, query, parent, updateParent }) {
            const { depth } = (await parent()) as Report;
            await updateParent((draft) => {
              draft['depth'] = depth + Number(query.get('more'));
            });
            return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(`${name}: ${depth}`) };
          },
        },
      },
    });
    await using asked = new Asked({ kinds: [kind] });
    await asked.send('POST', path, { json: json('a', 3) });
    expect(await asked.send('POST', `${path}/a/measure?more=2`)).toEqual({ status: 200, json: 'a: 3' });
    expect((await asked.send('GET', `${path}/a`)).json.depth).toBe(5);
    expect((await asked.send('GET', `${path}/a/measure`)).status).toBe(405);
    expect((await asked.send('POST', `${path}/b/measure`)).status).toBe(404);
    const { resources } = (await asked.send('GET', '/apis/reports.wells.example.com/v1')).json;
    expect(resources[1]).toMatchObject({ name: 'wellreports/measure', kind: 'WellReport', verbs: ['create'] });
    expect((await asked.send('GET', '/openapi/v3/apis/reports.wells.example.com/v1')).status).toBe(200);
  });
});
