import { systemClock } from '@kubewright/apimachinery';
import { type Pod, Secret } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests } from '@kubewright/controlplane';
import { followSample } from './follow-sample.ts';
import { askVersion } from './query.ts';
import type { StepPrinter } from './step-printer.ts';

const name = 'postgresql-sample';
/** The time after which a sample that is not up is reported, in milliseconds. */
const patienceMs = 90_000;

/** Options for {@link showSample}. */
export interface ShowSampleOptions {
  /** Manifests to apply. */
  readonly files: readonly string[];
  readonly fieldManager: string;
  readonly steps: StepPrinter;
  /** The operator; it must not end before the sample is up. */
  readonly running: Promise<void>;
  readonly signal: AbortSignal;
  /**
   * True to fail if the sample does not come up. Otherwise, the problem is printed, and the sample is followed in the
   * background.
   */
  readonly insist: boolean;
}

/** Applies the sample and prints its progress, up to the result of a query. */
export async function showSample(client: KubernetesClient, options: ShowSampleOptions): Promise<void> {
  const { files, fieldManager, steps, running, signal, insist } = options;
  await applyManifests(client, { files, fieldManager, signal });
  steps.step('object created', name);
  const obstacle = new AbortController();
  const stuck = new Promise<string>((resolve) => {
    obstacle.signal.addEventListener('abort', () => resolve(String(obstacle.signal.reason)), { once: true });
  });
  const late = `${name} is not up after ${patienceMs / 1000} s\n  why: unknown\n  fix: run kubectl describe pod ${name} to find the reason, then wait or restart\n`;
  using _patience = systemClock.setTimer(patienceMs, () => obstacle.abort(late), { unref: true });
  const up = followSample({ client, name, steps, signal, onObstacle: (text) => obstacle.abort(text) }).then((pod) =>
    answer(client, { host: hostAddressOf(pod), steps, signal }),
  );
  const problem = await Promise.race([up, stuck, ended(running, signal)]);
  if (problem === undefined) return;
  up.catch(() => undefined); // rejects when the run ends; the problem has been reported
  if (insist) throw new Error(problem);
  steps.text(`\n${problem}`);
}

/**
 * Returns the address at which this machine reaches a pod. If pods have their own network, the address is in an
 * annotation.
 */
function hostAddressOf({ metadata, status }: Pod): string {
  return metadata.annotations?.['kubewright.dev/host-address'] ?? status?.podIP ?? '';
}

/** Logs in with the password from the Secret and shows the database's response. */
async function answer(
  client: KubernetesClient,
  { host, steps, signal }: { readonly host: string; readonly steps: StepPrinter; readonly signal: AbortSignal },
): Promise<undefined> {
  const credentials = await client.resource(Secret).get({ namespace: 'default', name: `${name}-credentials` });
  const decode = (key: string): string => Buffer.from(credentials.data?.[key] ?? '', 'base64').toString('utf8');
  const login = { host, user: decode('username'), password: decode('password') };
  const version = await askVersion(login, { clock: systemClock, signal });
  steps.step('Pg Phase: up', version, 'good');
  return undefined;
}

async function ended(running: Promise<void>, signal: AbortSignal): Promise<never> {
  await running;
  signal.throwIfAborted();
  throw new Error('the operator stopped before the sample was up');
}
