import { Namespace, Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { ControllerDefinition, ReconcileRequest, ReconcileResult } from '@kubewright/runtime';
import { expect, it } from 'vitest';
import { TestControlPlane } from '../controllers/testdata/test-control-plane.ts';

/** Returns a controller that works until it is armed; from then on, every reconcile fails. */
function faulty(definition: ControllerDefinition, isArmed: () => boolean): ControllerDefinition {
  const source = {
    name: 'fault',
    start: async (queue: { enqueue(request: ReconcileRequest): void }) => queue.enqueue({ name: 'fault' }),
  };
  const reconcile = async (): Promise<ReconcileResult> => {
    if (isArmed()) throw new TypeError('injected fault');
    return { requeueAfterMs: 20 };
  };
  return {
    ...definition,
    finalizers: {},
    run: { level: 'request', reconcile },
    sources: [source],
    recoverPanic: false,
  };
}

it('restarts each component that fails, while the others continue', async () => {
  const lines: { readonly logger?: string; readonly event?: string }[] = [];
  let armed = false;
  const starts = new Map<string, number>();
  await using plane = await TestControlPlane.start({
    log: { write: (line) => void lines.push(JSON.parse(line)) },
    define: (name, definition) => {
      const count = (starts.get(name) ?? 0) + 1;
      starts.set(name, count);
      return count === 1 ? faulty(definition, () => armed) : definition;
    },
  });
  armed = true;
  await expect.poll(() => [...starts.values()].every((count) => count === 2), { timeout: 30_000 }).toBe(true);
  const failed = lines.filter(({ event }) => event === 'component.failed').map(({ logger }) => logger);
  expect([...failed].sort()).toEqual([...starts.keys()].sort());
  expect(failed).toContain('scheduler');
  expect(failed.length).toBeGreaterThan(15);
  // Both components work again: a service account is created, and a pod is marked unschedulable because there is no node.
  await plane.client.resource(Namespace).create(Namespace({ metadata: { name: 'after' } }));
  const key = { namespace: 'after', name: 'default' };
  const account = () =>
    plane.client
      .resource(ServiceAccount)
      .get(key)
      .catch(() => undefined);
  await expect.poll(account, { timeout: 30_000 }).toBeDefined();
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await plane.client.resource(Pod).create(Pod({ metadata: key, spec }));
  const reason = async () => (await plane.client.resource(Pod).get(key)).status?.conditions?.[0]?.reason;
  await expect.poll(reason, { timeout: 30_000 }).toBe('Unschedulable');
  expect(plane.errors).toEqual([]);
}, 60_000);
