import { Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { Postgresql } from '../src/api/v1/postgresql.ts';
import { explain, explainCrash } from './explain.ts';
import type { StepPrinter } from './step-printer.ts';

/** Options for {@link followSample}. */
export interface FollowOptions {
  readonly client: KubernetesClient;
  readonly name: string;
  readonly steps: StepPrinter;
  readonly signal: AbortSignal;
  /** Called once with the problem that keeps the pod from starting or staying up: what, why, what to do. */
  readonly onObstacle: (text: string) => void;
}

/** Prints the progress of an object's pod until the server is up, and returns the pod. */
export async function followSample(options: FollowOptions): Promise<Pod> {
  const { client, name } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const following = followPod({ ...options, signal });
  try {
    await Promise.race([waitForPhase({ ...options, signal }), following]);
    return await client.resource(Pod).get({ namespace: 'default', name }, { signal });
  } finally {
    over.abort();
    await following.catch(() => undefined); // rejects when aborted; an earlier failure was thrown above
  }
}

/** Prints each kind of event of the pod once; never resolves. */
async function followPod({ client, name, steps, signal, onObstacle }: FollowOptions): Promise<never> {
  const said = new Set<string>();
  const once = (what: string, say: () => void): void => {
    if (!said.has(what)) say();
    said.add(what);
  };
  const fieldSelector = `metadata.name=${name}`;
  for await (const event of client.resource(Pod).watch({ namespace: 'default', fieldSelector, signal })) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
    const { spec, status } = event.object;
    const [container] = status?.containerStatuses ?? [];
    const { running, waiting } = container?.state ?? {};
    const node = spec?.nodeName;
    if (node) once('scheduled', () => steps.step('pod scheduled', `${name} on ${node}`));
    if (running) once('started', () => steps.step('container started', `${container?.image} at ${status?.podIP}`));
    if (waiting?.reason === 'CrashLoopBackOff') {
      once('obstacle', () => steps.step('pod waiting', waiting.reason, 'bad'));
      onObstacle(explainCrash(name, { container, log: await lastLines(client, name, signal) }));
    } else if (waiting?.message && /Err|BackOff|Invalid/.test(waiting.reason ?? '')) {
      once('obstacle', () => {
        steps.step('pod waiting', waiting.reason, 'bad');
        onObstacle(explain(name, waiting.message ?? ''));
      });
    }
  }
  throw new Error(`the watch on pod ${name} ended before the server was up`);
}

/** Returns the end of the log of the container's last attempt. */
async function lastLines(client: KubernetesClient, name: string, signal: AbortSignal): Promise<string> {
  const log = await client.pods.logs({ namespace: 'default', name }, { tailLines: 10, limitBytes: 16_384, signal });
  const chunks: Uint8Array[] = [];
  for await (const chunk of log.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function waitForPhase({ client, name, signal }: FollowOptions): Promise<void> {
  const fieldSelector = `metadata.name=${name}`;
  for await (const event of client.resource(Postgresql).watch({ namespace: 'default', fieldSelector, signal })) {
    if ((event.type === 'ADDED' || event.type === 'MODIFIED') && event.object.status?.pgPhase === 'up') return;
  }
  throw new Error(`the watch on Postgresql ${name} ended before it was up`);
}
