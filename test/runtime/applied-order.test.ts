import { Deployment } from '@kubewright/apimachinery/apps/v1';
import type { ContainerPort } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { controller, Manager, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';
import { type Note, NoteKind } from './programs/note.ts';

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const key = { namespace: 'default', name: 'ordered' };

/**
 * A Deployment whose init containers and variables are in the order of the note. Each variable refers to the previous ones.
 */
function workloadFor(note: Note): Deployment {
  const steps = note.spec.text.split(' ');
  const env = steps.map((name, index) => ({ name, value: index === 0 ? '0' : `$(${steps[index - 1]})` }));
  const labels = { app: key.name };
  return Deployment({
    metadata: { name: key.name },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          initContainers: steps.map((name) => ({ name, image: 'busybox' })),
          containers: [{ name: 'main', image: 'busybox', env, ports: dns }],
        },
      },
    },
  });
}

// The list's key includes the protocol, which the server defaults.
const dns: readonly ContainerPort[] = [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }];

/** Entries that another manager adds to the same lists. */
const additions = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: key,
  spec: {
    template: {
      spec: {
        initContainers: [{ name: 'theirs', image: 'busybox' }],
        containers: [{ name: 'main', env: [{ name: 'theirs', value: '1' }] }],
      },
    },
  },
};

interface Orders {
  readonly steps: readonly string[];
  readonly variables: readonly string[];
}

function ordersOf(deployment: Deployment): Orders {
  const pod = deployment.spec?.template.spec;
  return {
    steps: pod?.initContainers?.map((each) => each.name) ?? [],
    variables: pod?.containers[0]?.env?.map((each) => each.name) ?? [],
  };
}

const withoutTheirs = ({ steps, variables }: Orders): readonly string[][] =>
  [steps, variables].map((each) => each.filter((name) => name !== 'theirs'));

// Not covered: lists whose entries are renamed and moved in one step, and kinds whose list keys the type tables do not
// contain.

describe('the order of merged lists', () => {
  it('is applied once per change, around entries of other managers, without further writes', async () => {
    let applied = 0;
    let runs = 0;
    const client: KubernetesClient = cluster.client.intercepted(async (call, next) => {
      if (call.target?.kind === 'Deployment' && call.verb === 'apply') applied++;
      return next(call);
    });
    const ordered = controller({
      for: NoteKind,
      name: 'ordered',
      owns: [Deployment],
      desired: (note) => {
        runs++;
        return { children: [workloadFor(note)] };
      },
    });
    await using manager = new Manager({
      controllers: [ordered],
      client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    const deployments = cluster.client.resource(Deployment);
    const note = (text: string): Promise<Note> => cluster.writeNote('default', text, key.name);
    /** Triggers a few reconciles that have nothing to do. */
    const looks = async (): Promise<void> => {
      for (let look = 0; look < 3; look++) {
        const before = runs;
        const body = { metadata: { labels: { look: String(runs) } } };
        await cluster.client.resource(NoteKind).patch(key, { type: 'merge', body }, { fieldManager: 'user' });
        await polled(() => runs > before, 'a reconcile');
      }
    };
    const arrives = async (text: string): Promise<void> => {
      const expected = JSON.stringify([text.split(' '), text.split(' ')]);
      const isThere = async (): Promise<boolean> => {
        const live = await deployments.get(key).catch(() => undefined);
        return live !== undefined && JSON.stringify(withoutTheirs(ordersOf(live))) === expected;
      };
      await polled(isThere, `the order ${text}`);
    };

    await note('one two three');
    await arrives('one two three');
    await looks();
    expect(applied).toBe(1);

    await deployments.apply(additions, { fieldManager: 'somebody-else' });
    await looks();
    expect(applied).toBe(1);

    let changes = 1;
    for (const text of ['two one three', 'three two one', 'one three two', 'one four three two', 'two one']) {
      await note(text);
      await arrives(text);
      await looks();
      expect(applied, `applies until ${text}`).toBe(++changes);
      const orders = ordersOf(await deployments.get(key));
      expect([orders.steps, orders.variables].every((each) => each.includes('theirs'))).toBe(true);
    }
  });

  it('is applied repeatedly by a controller that compares whole lists', async () => {
    let [applied, runs] = [0, 0];
    const naive = controller({
      for: NoteKind,
      name: 'naive',
      async reconcile(note, ctx) {
        runs++;
        const live = await ctx.get(Deployment, key);
        const wanted = {
          ...workloadFor(note),
          apiVersion: 'apps/v1' as const,
          kind: 'Deployment' as const,
          metadata: key,
        };
        if (live && JSON.stringify(ordersOf(live)) === JSON.stringify(ordersOf(wanted))) return;
        applied++;
        // Bypasses the context, which would skip the apply because the server already has the object.
        await cluster.client.resource(Deployment).apply(wanted, { fieldManager: 'ordered', force: true });
      },
    });
    await using manager = new Manager({
      controllers: [naive],
      client: cluster.client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    await cluster.writeNote('default', 'one two', key.name);
    await polled(() => applied > 0, 'the first apply');
    await cluster.client.resource(Deployment).apply(additions, { fieldManager: 'somebody-else' });
    for (let look = 0; look < 3; look++) {
      const before = runs;
      const body = { metadata: { labels: { look: `naive-${look}` } } };
      await cluster.client.resource(NoteKind).patch(key, { type: 'merge', body }, { fieldManager: 'user' });
      await polled(() => runs > before, 'a reconcile');
    }
    expect(applied).toBeGreaterThan(2);
  });
});
