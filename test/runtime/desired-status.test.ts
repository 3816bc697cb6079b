import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { controller, defineKind } from '@kubewright/runtime';
import { reconcileKey } from '@kubewright/runtime/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';

interface DeskStatus {
  readonly phase?: string;
  readonly owner?: string;
  readonly seats?: Readonly<Record<string, number>>;
  readonly tags?: readonly string[];
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
}
const Desk = defineKind<{ readonly mode: string }, DeskStatus>({
  group: 'runtime.example.com',
  version: 'v1',
  kind: 'Desk',
});

const string = { type: 'string' } as const;
const statusSchema = {
  type: 'object',
  properties: {
    phase: string,
    owner: string,
    seats: { type: 'object', additionalProperties: { type: 'integer' } },
    tags: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    observedGeneration: { type: 'integer', format: 'int64' },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        required: ['type'],
        properties: { type: string },
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
  },
};

const namespace = 'desks';
let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
  const { client } = cluster;
  await cluster.makeNamespace(namespace);
  await client.resource(CustomResourceDefinition).create(
    CustomResourceDefinition({
      metadata: { name: 'desks.runtime.example.com' },
      spec: {
        group: 'runtime.example.com',
        scope: 'Namespaced',
        names: { plural: 'desks', singular: 'desk', kind: 'Desk', listKind: 'DeskList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { mode: string } }, status: statusSchema },
              },
            },
          },
        ],
      },
    }),
  );
  const desks = () => client.resource(Desk).list({ namespace });
  await polled(async () => (await desks().catch(() => undefined)) !== undefined, 'desks are served');
});
afterAll(async () => {
  await cluster?.client.resource(CustomResourceDefinition).delete({ name: 'desks.runtime.example.com' });
  await cluster?.[Symbol.asyncDispose]();
});

const desks = controller({
  for: Desk,
  name: 'desks',
  desired: ({ spec: { mode } }) => {
    if (mode === 'bad') throw new Error('bad is not a mode');
    if (mode === 'silent') return {};
    return {
      status: { phase: 'Up', seats: { mine: 1 }, tags: ['mine'] },
      conditions: [{ type: 'Backed', status: 'True', reason: 'Yes', message: '' }],
    };
  },
});

async function setMode(name: string, mode: string): Promise<void> {
  const desk = { apiVersion: 'runtime.example.com/v1', kind: 'Desk', metadata: { name, namespace }, spec: { mode } };
  await cluster.client.resource(Desk).apply(desk, { fieldManager: 'user' });
}

/** Applies the status of a second manager, without force. */
async function applyOther(name: string, status: DeskStatus): Promise<void> {
  const desk = { apiVersion: 'runtime.example.com/v1', kind: 'Desk', metadata: { name, namespace }, status };
  await cluster.client.resource(Desk).status.apply(desk as never, { fieldManager: 'other', force: false });
}

const statusOf = async (name: string) => (await cluster.client.resource(Desk).get({ namespace, name })).status;
const once = (name: string) => reconcileKey(desks, { namespace, name }, { client: cluster.client });

/** Returns the status fields that the controller's applies own. */
async function ownPaths(name: string): Promise<string> {
  const { metadata } = await cluster.client.resource(Desk).get({ namespace, name });
  const entry = metadata.managedFields?.find((each) => each.manager === 'desks' && each.subresource === 'status');
  return JSON.stringify(entry?.fieldsV1);
}

const others: DeskStatus = {
  owner: 'ann',
  seats: { theirs: 2 },
  tags: ['theirs'],
  conditions: [{ type: 'Audited', status: 'True' }],
};

describe('the status of a failing "desired"', () => {
  it('keeps its own fields, and does not take over fields of other managers', async () => {
    await setMode('a', 'good');
    await once('a');
    await applyOther('a', others);
    await setMode('a', 'bad');
    await expect(once('a')).rejects.toThrow('bad is not a mode');

    const after = await statusOf('a');
    expect(after).toMatchObject({ phase: 'Up', owner: 'ann', seats: { mine: 1, theirs: 2 } });
    expect([...(after?.tags ?? [])].sort()).toEqual(['mine', 'theirs']);
    expect(Object.fromEntries((after?.conditions ?? []).map(({ type, status }) => [type, status]))).toEqual({
      Audited: 'True',
      Backed: 'True',
      Ready: 'False',
      Stalled: 'True',
    });
    expect(await ownPaths('a')).not.toMatch(/owner|theirs|Audited/);

    // The other manager can change and remove its fields without a conflict.
    await applyOther('a', { owner: 'ben' });
    const { owner, seats, tags } = (await statusOf('a')) ?? {};
    expect({ owner, seats, tags }).toEqual({ owner: 'ben', seats: { mine: 1 }, tags: ['mine'] });
  });

  it('takes over no fields if it fails before its first status, or later returns no status', async () => {
    await setMode('b', 'bad');
    await applyOther('b', others);
    await expect(once('b')).rejects.toThrow('bad is not a mode');
    expect(await ownPaths('b')).not.toMatch(/owner|theirs|Audited/);

    await setMode('b', 'silent');
    await once('b');
    expect(await ownPaths('b')).not.toMatch(/owner|theirs|Audited|Stalled/);
    const { conditions, ...rest } = (await statusOf('b')) ?? {};
    expect(rest).toMatchObject({ owner: 'ann', seats: { theirs: 2 }, tags: ['theirs'] });
    expect(conditions?.map(({ type }) => type).sort()).toEqual(['Audited', 'Ready']);
  });
});
