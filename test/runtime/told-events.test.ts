import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { controller, Manager, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';
import { NoteKind } from './programs/note.ts';

interface EventObject extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly reportingController?: string;
  readonly regarding?: { readonly kind?: string; readonly name?: string; readonly uid?: string };
}
const EventKind: Kind<EventObject> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

describe('A manager whose reconcile fails', () => {
  it('writes an event for the leader on the Lease, and one for repeated failures on the object', {
    timeout: 60_000,
  }, async () => {
    const namespace = 'told';
    await cluster.makeNamespace(namespace);
    const { metadata } = await cluster.writeNote(namespace, 'text');
    let runs = 0;
    const reconcile = (): Promise<void> => {
      runs++;
      return Promise.reject(new Error('the printer is out of paper'));
    };
    await using manager = new Manager({
      client: cluster.client,
      namespaces: [namespace],
      controllers: [controller({ for: NoteKind, name: 'printers', reconcile })],
      leaderElection: { id: 'printers.example.com', namespace, identity: 'one' },
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => {});
    const events = async () => (await cluster.client.resource(EventKind).list({ namespace })).items;
    await polled(() => runs >= 4, 'the reconcile is retried');
    await polled(async () => (await events()).length >= 2, 'two events are written');
    const seen = await events();
    expect(seen).toHaveLength(2);
    const find = (reason: string) => seen.find((each) => each.reason === reason);
    expect(find('LeaderElection')).toMatchObject({
      type: 'Normal',
      note: 'one became leader',
      regarding: { kind: 'Lease', name: 'printers.example.com' },
    });
    expect(find('ReconcileError')).toMatchObject({
      type: 'Warning',
      note: 'the printer is out of paper',
      reportingController: 'printers',
      regarding: { kind: 'Note', name: 'a', uid: metadata.uid },
    });
  });
});
