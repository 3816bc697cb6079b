import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { Manager, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BundledPrograms } from './bundled-program.ts';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';
import { NoteKind } from './programs/note.ts';
import { noteController } from './programs/note-controller.ts';

// Not covered: a suspension between the last check and the moment the kernel accepts the bytes. This is the window that
// docs/fencing.md describes; it is a few instructions wide and cannot be hit from outside.

const stages = [
  'before the look',
  'after the look',
  'before the write',
  'after the write was sent',
  'after the write was answered',
  'before the status',
] as const;
const programs = new BundledPrograms();
let cluster: NoteCluster;

beforeAll(async () => {
  [cluster] = await Promise.all([NoteCluster.start(), programs.build('stopping-operator')]);
});
afterAll(async () => {
  programs[Symbol.dispose]();
  await cluster?.[Symbol.asyncDispose]();
});

/** Collects every copy and status that the server accepts in a namespace, as `text by writer`. */
async function record(namespace: string, signal: AbortSignal): Promise<string[]> {
  const taken: string[] = [];
  const { metadata } = await cluster.client.resource(ConfigMap).list({ namespace });
  const follow = async (): Promise<void> => {
    const from = { namespace, resourceVersion: metadata.resourceVersion ?? '', signal };
    for await (const event of cluster.client.resource(ConfigMap).watch(from)) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
      const { data, metadata } = event.object;
      if (metadata.name === 'a') taken.push(`copy: ${data?.['text']} by ${data?.['by']}`);
    }
  };
  const followStatus = async (): Promise<void> => {
    for await (const event of cluster.client.resource(NoteKind).watch({ namespace, signal })) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
      const { status } = event.object;
      if (status) taken.push(`status: ${status.text} by ${status.by}`);
    }
  };
  void Promise.all([follow(), followStatus()]).catch(() => {});
  return taken;
}

/** The change that happens while the process is suspended. */
type Change = 'changed' | 'replaced';

/**
 * Suspends an operator at a stage, lets a successor take over, changes the note, and resumes the operator. Returns the
 * outcome, including the writes after the resumption.
 */
async function stopAt(stage: string, options: { readonly guard?: 'naive'; readonly change: Change }): Promise<Outcome> {
  const { guard = '', change } = options;
  const namespace = `${stage} ${guard} ${change}`.trim().replace(/ +/g, '-');
  await cluster.makeNamespace(namespace);
  const end = new AbortController();
  const taken = await record(namespace, end.signal);
  await cluster.writeNote(namespace, 'old');
  const lines: string[] = [];
  const child = programs.start('stopping-operator', {
    args: [stage, namespace, guard],
    env: { KUBECONFIG: cluster.kubeconfig },
    onLine: (line) => lines.push(line),
  });
  try {
    await polled(() => lines.includes('stopped'), `${stage}: the process stops`);
    const successor = takeOver(namespace);
    try {
      await successor.started();
      if (change === 'replaced') await cluster.client.resource(NoteKind).delete({ namespace, name: 'a' });
      const { metadata } = await cluster.writeNote(namespace, 'new');
      await polled(() => isSettled(namespace, metadata.uid ?? ''), `${stage}: the successor does the work`);
      // Wait for the successor's events, which must not be taken for writes of the resumed operator.
      const its = ['copy: new by successor', 'status: new by successor'];
      await polled(() => its.every((each) => taken.includes(each)), `${stage}: the successor's work is on record`);
      const before = taken.length;
      const after = lines.length;
      child.kill('SIGCONT');
      // Wait until the operator notices that it lost the lease. After that, no write of the old term can arrive.
      await polled(() => lines.slice(after).some((line) => line.includes('lost the lease')), `${stage}: it notices`);
      if (guard === 'naive') {
        // Without fencing, the operator's write can still arrive after it has noticed that it lost the lease.
        await polled(() => taken.slice(before).includes('copy: old by stopped'), `${stage}: the late write arrives`);
      }
      await polled(() => isSettled(namespace, metadata.uid ?? ''), `${stage}: the work is still done`);
      return { late: taken.slice(before), lines };
    } finally {
      await successor[Symbol.asyncDispose]();
    }
  } finally {
    child.kill('SIGKILL');
    end.abort();
  }
}

interface Outcome {
  /** Writes that the server accepted after the process resumed. */
  readonly late: readonly string[];
  readonly lines: readonly string[];
}

function takeOver(namespace: string): Manager {
  const manager = new Manager({
    client: cluster.client,
    namespaces: [namespace],
    controllers: [noteController({ by: 'successor', fenced: true })],
    leaderElection: {
      id: 'notes',
      namespace,
      leaseDurationSeconds: 3,
      renewDeadlineSeconds: 2,
      retryPeriodSeconds: 0.4,
    },
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
  });
  manager.run().catch(() => {});
  return manager;
}

async function isSettled(namespace: string, uid: string): Promise<boolean> {
  const [note] = await cluster.notes(namespace);
  const copy = await cluster.client
    .resource(ConfigMap)
    .get({ namespace, name: 'a' })
    .catch(() => undefined);
  const owner = copy?.metadata.ownerReferences?.[0]?.uid;
  return note?.status?.text === 'new' && copy?.data?.['text'] === 'new' && owner === uid;
}

// Each test waits for leases that expire in real time, so they run concurrently.
describe.concurrent('A process that is suspended during a write', () => {
  it.each(stages)('does no harm when it resumes: %s', { timeout: 90_000 }, async (stage) => {
    const [changed, replaced] = await Promise.all([
      stopAt(stage, { change: 'changed' }),
      stopAt(stage, { change: 'replaced' }),
    ]);
    expect(changed.late).toEqual([]);
    expect(replaced.late).toEqual([]);
  });

  it('overwrites newer data without fence and gate', { timeout: 90_000 }, async () => {
    const { late } = await stopAt('before the write', { guard: 'naive', change: 'changed' });
    expect(late).toContain('copy: old by stopped');
  });
});
