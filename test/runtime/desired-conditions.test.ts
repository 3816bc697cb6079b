import { ConfigMap, Secret } from '@kubewright/apimachinery/core/v1';
import { activateIf, after, controller, enqueueMapped, watch } from '@kubewright/runtime';
import { reconcileKey } from '@kubewright/runtime/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { NoteKind } from './programs/note.ts';

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
  await cluster.makeNamespace('conditions');
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const namespace = 'conditions';
const map = (name: string, text = name) => ConfigMap({ metadata: { name }, data: { text } });
const maps = async () => {
  const { items } = await cluster.client.resource(ConfigMap).list({ namespace, labelSelector: 'own=yes' });
  return items.map(({ metadata: { name }, data }) => `${name}=${data?.['text']}`);
};

describe('desired', () => {
  it('reads related objects, activates children by them, and keeps children that must not be deleted yet', async () => {
    const { client } = cluster;
    const own = (name: string, text?: string) => ({ ...map(name, text), metadata: { name, labels: { own: 'yes' } } });
    const definition = controller({
      for: NoteKind,
      name: 'conditional',
      owns: [ConfigMap],
      watches: [
        watch(
          Secret,
          enqueueMapped(() => []),
          { namespaces: [namespace] },
        ),
      ],
      desired: ({ spec: { text } }, observed) => {
        const secret = observed.related(Secret).get({ namespace, name: 'tls' });
        const isFinal = secret?.data?.['final'] !== undefined;
        return {
          children:
            text === ''
              ? []
              : [
                  own('base'),
                  activateIf(
                    secret !== undefined || 'waits for the Secret "tls"',
                    after(own('base'), own('web', text)),
                  ),
                ],
          mayDelete: (child) => child.metadata.name !== 'web' || isFinal || 'waits for the last backup',
        };
      },
    });
    const once = () => reconcileKey(definition, { namespace, name: 'a' }, { client });

    await cluster.writeNote(namespace, 'one');
    await once();
    expect(await maps()).toEqual(['base=base']);
    const secrets = client.resource(Secret);
    await secrets.create(Secret({ metadata: { name: 'tls', namespace } }));
    await once();
    expect(await maps()).toEqual(['base=base', 'web=one']);

    // An inactive child is neither changed nor deleted.
    await secrets.delete({ namespace, name: 'tls' });
    await cluster.writeNote(namespace, 'two');
    await once();
    expect(await maps()).toEqual(['base=base', 'web=one']);

    await cluster.writeNote(namespace, '');
    await once();
    expect(await maps()).toEqual(['web=one']);
    await secrets.create(Secret({ metadata: { name: 'tls', namespace }, data: { final: '' } }));
    await once();
    expect(await maps()).toEqual([]);
  });

  it('rejects reads of kinds that are not declared', async () => {
    const definition = controller({
      for: NoteKind,
      name: 'undeclared',
      desired: (_note, observed) => ({
        children: observed
          .related(Secret)
          .list()
          .map(() => false as const),
      }),
    });
    await expect(reconcileKey(definition, { namespace, name: 'a' }, { client: cluster.client })).rejects.toMatchObject({
      code: 'KW3001',
    });
  });
});
