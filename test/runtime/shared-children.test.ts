import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { type ControllerDefinition, controller, Manager, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';
import { NoteKind } from './programs/note.ts';

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

// Not covered: children created under one name whose controller is renamed.

const namespace = 'shared';

/** Returns a controller that creates a ConfigMap for each word of a note. */
function copies(name: string, fieldManager = name): ControllerDefinition {
  return controller({
    for: NoteKind,
    name,
    fieldManager,
    owns: [ConfigMap],
    desired: (note) => ({
      children: note.spec.text.split(' ').map((word) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${name}-${word}` },
        data: { word },
      })),
    }),
  });
}

async function names(): Promise<readonly string[]> {
  const { items } = await cluster.client.resource(ConfigMap).list({ namespace });
  return items
    .map((each) => each.metadata.name)
    .filter((name) => /^(left|right)-/.test(name))
    .sort();
}

describe('two controllers of one kind that own the same kind', () => {
  it('each delete their own children, and keep those of the other', async () => {
    let deletions = 0;
    const client = cluster.client.intercepted(async (call, next) => {
      if (call.target?.kind === 'ConfigMap' && call.verb === 'delete') deletions++;
      return next(call);
    });
    await cluster.makeNamespace(namespace);
    await using manager = new Manager({
      controllers: [copies('left'), copies('right')],
      client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    const become = async (text: string, expected: readonly string[]): Promise<void> => {
      await cluster.writeNote(namespace, text);
      await polled(async () => JSON.stringify(await names()) === JSON.stringify(expected), `copies of ${text}`);
    };
    await become('x y', ['left-x', 'left-y', 'right-x', 'right-y']);
    expect(deletions).toBe(0);
    await become('y', ['left-y', 'right-y']);
    await become('y z', ['left-y', 'left-z', 'right-y', 'right-z']);
    expect(deletions).toBe(2);
  });

  it("delete each other's children if both use one field manager", async () => {
    let deletions = 0;
    const client = cluster.client.intercepted(async (call, next) => {
      if (call.target?.kind === 'ConfigMap' && call.verb === 'delete') deletions++;
      return next(call);
    });
    await using manager = new Manager({
      controllers: [copies('left', 'both'), copies('right', 'both')],
      client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => undefined); // stopped by the test
    await cluster.writeNote(namespace, 'w');
    await polled(() => deletions > 1, 'each has deleted what the other made');
  });
});
