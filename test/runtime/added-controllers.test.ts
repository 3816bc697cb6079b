import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { type ControllerDefinition, controller, Manager, type ManagerOptions, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { NoteKind } from './programs/note.ts';

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

/** Returns a controller that copies each note of a namespace to ConfigMaps, one per word. */
function copies(name: string, namespace: string): ControllerDefinition {
  return controller({
    for: NoteKind,
    name,
    cached: { namespaces: [namespace] },
    owns: [ConfigMap],
    desired: (note) => ({
      children: note.spec.text
        .split(' ')
        .map((word) => ConfigMap({ metadata: { name: `${name}-${word}` }, data: { word } })),
    }),
  });
}

async function started(options: Partial<ManagerOptions> = {}): Promise<Manager> {
  const manager = new Manager({
    client: cluster.client,
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
    ...options,
  });
  manager.run().catch(() => undefined); // stopped by the test
  await manager.started();
  return manager;
}

const maps = () => cluster.client.resource(ConfigMap);

describe('a controller that is added to a running manager', () => {
  it('works like a controller that was added before the start, and prunes what an earlier run applied', async () => {
    const namespace = 'added';
    await cluster.makeNamespace(namespace);
    await cluster.writeNote(namespace, 'x y');
    await using manager = await started({ controllers: [copies('other', 'elsewhere')], caches: [ConfigMap] });
    const first = manager.add(copies('late', namespace));
    await first.started();
    await maps().waitFor({ namespace, name: 'late-y' }, () => true);
    await first.remove();
    await cluster.writeNote(namespace, 'x');
    await using again = manager.add(copies('late', namespace));
    await again.started();
    await maps().waitForDeletion({ namespace, name: 'late-y' });
    await cluster.writeNote(namespace, 'x z');
    await maps().waitFor({ namespace, name: 'late-z' }, () => true);
  });

  it('ends with its watches and metrics when it is removed, after its reconciles', async () => {
    const namespace = 'removed';
    await cluster.makeNamespace(namespace);
    await cluster.writeNote(namespace, 'x');
    const open = new Set<string>();
    const client = cluster.client.intercepted(async (call, next) => {
      const { target, verb } = call;
      if (verb === 'watch' && target?.namespace === namespace) {
        open.add(target.kind);
        call.request.signal?.addEventListener('abort', () => open.delete(target.kind), { once: true });
      }
      return next(call);
    });
    await using manager = await started({ client, metricsBindAddress: '127.0.0.1:0' });
    let finish = (): void => {};
    let isFinished = false;
    const added = manager.add(
      controller({
        for: NoteKind,
        name: 'slow',
        cached: { namespaces: [namespace] },
        async reconcile() {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          isFinished = true;
        },
      }),
    );
    await added.started();
    await expect.poll(() => [...open]).toEqual(['Note']);
    const metrics = async () => (await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`)).text();
    await expect.poll(metrics).toContain('controller="slow"');
    await expect.poll(() => metrics()).toMatch(/active_workers\{controller="slow"\} 1/);
    const removed = added.remove();
    finish();
    await removed;
    expect(isFinished).toBe(true);
    await expect.poll(() => [...open]).toEqual([]);
    expect(await metrics()).not.toContain('"slow"');
  });

  it('runs only while the manager leads, under the client of the term', async () => {
    const namespace = 'leading';
    await cluster.makeNamespace(namespace);
    await cluster.writeNote(namespace, 'x');
    const leaderElection = { id: 'added', namespace };
    const first = await started({ leaderElection });
    await first.elected();
    const second = await started({ leaderElection });
    const seen: string[] = [];
    const seeing = (who: string) =>
      controller({
        for: NoteKind,
        name: 'seeing',
        cached: { namespaces: [namespace] },
        async reconcile() {
          seen.push(who);
        },
      });
    const follower = second.add(seeing('second'));
    await first.add(seeing('first')).started();
    await expect.poll(() => seen).toEqual(['first']);
    await first[Symbol.asyncDispose]();
    await follower.started();
    await expect.poll(() => seen).toEqual(['first', 'second']);
    await second[Symbol.asyncDispose]();
  });

  it('is rejected if its name is taken, it is sharded, or the manager was stopped', async () => {
    const manager = await started({ controllers: [copies('taken', 'none')] });
    expect(() => manager.add(copies('taken', 'none'))).toThrow('two controllers named "taken"');
    expect(() => manager.add({ ...copies('shared', 'none'), sharded: true })).toThrow(
      'must be declared before the manager starts',
    );
    const added = manager.add(copies('twice', 'none'));
    expect(() => manager.add(copies('twice', 'none'))).toThrow('two controllers named "twice"');
    await added.remove();
    await added.remove();
    await manager.add(copies('twice', 'none')).started();
    await manager[Symbol.asyncDispose]();
    expect(() => manager.add(copies('late', 'none'))).toThrow('the manager has stopped');
  });

  it('starts with a manager that runs later', async () => {
    const namespace = 'before';
    await cluster.makeNamespace(namespace);
    await cluster.writeNote(namespace, 'x');
    await using manager = new Manager({
      client: cluster.client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    const added = manager.add(copies('early', namespace));
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    await added.started();
    await maps().waitFor({ namespace, name: 'early-x' }, () => true);
  });
});
