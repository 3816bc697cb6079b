import { isNotFound, StatusError, sleep } from '@kubewright/apimachinery';
import { ValidatingWebhookConfiguration } from '@kubewright/apimachinery/admissionregistration/v1';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { CliError } from '../program/cli-error.ts';
import { webhookFailure } from '../program/webhook-failure.ts';
import type { Project } from '../project/find-project.ts';
import type { Target } from '../target/apply-objects.ts';
import type { LocalAddress } from './local-objects.ts';

/** Path that is requested only to check that it is reachable. */
export const reachabilityPath = '/kubewright-reachable';

/** Time limit for an API server to call a new webhook, in milliseconds. */
const patienceMs = 15_000;
const pollMs = 50;
/** The time limit for a connection, in seconds. */
const timeoutSeconds = 5;
const label = 'kubewright.dev/reachable';

/** The address to probe, and a check that it was called. */
export interface Probe {
  readonly project: Pick<Project, 'name'>;
  readonly address: LocalAddress;
  /** True after the path was requested. */
  readonly wasProbed: () => boolean;
}

/**
 * Triggers a call from the API server to a dummy webhook, so that an unreachable address is reported before it breaks writes. The
 * call is triggered by a dry-run write, and the webhook matches no other objects.
 *
 * @throws CliError KW7309 with the API server's message
 */
export async function proveReachable({ client, environment }: Target, probe: Probe): Promise<void> {
  const { clock, signal } = environment;
  const configurations = client.resource(ValidatingWebhookConfiguration);
  const name = `${probe.project.name}-dev-reachable`;
  await configurations.delete({ name }, { signal }).catch(ignoreNotFound);
  await configurations.create(configuration(name, probe), { signal });
  try {
    const end = clock.monotonic() + patienceMs;
    for (; !probe.wasProbed() && clock.monotonic() < end; await sleep(clock, { ms: pollMs, signal })) {
      const metadata = { generateName: 'kubewright-reachable-', namespace: 'default', labels: { [label]: name } };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as const;
      await client.resource(ConfigMap).create(object, { dryRun: true, signal });
    }
  } catch (error) {
    const why = error instanceof StatusError ? webhookFailure(error.status.message ?? '')?.why : undefined;
    if (why === undefined) throw error;
    throw unreachable(probe, why);
  } finally {
    // Ctrl-C may have ended the wait; the configuration must be removed anyway.
    await configurations.delete({ name }).catch(ignoreNotFound);
  }
  if (!probe.wasProbed())
    throw unreachable(probe, `the API server did not call the webhooks within ${patienceMs / 1_000} s`);
}

function configuration(name: string, { address }: Probe): ValidatingWebhookConfiguration {
  return ValidatingWebhookConfiguration({
    metadata: { name },
    webhooks: [
      {
        name: 'reachable.kubewright.dev',
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        objectSelector: { matchLabels: { [label]: name } },
        clientConfig: {
          url: `${address.url}${reachabilityPath}`,
          caBundle: Buffer.from(address.authority).toString('base64'),
        },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds,
      },
    ],
  });
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function unreachable({ address }: Probe, why: string): CliError {
  return new CliError('KW7309', {
    what: `the API server cannot reach the local webhooks at ${address.url}`,
    why,
    remedy: reachabilityHint,
  });
}

/** The remedy for an unreachable address, with the address of the host machine for each cluster tool. */
export const reachabilityHint = `specify a local address that the API server can reach: --webhook-host ADDR
with kind, the Gateway that docker network inspect kind shows; with k3d, host.k3d.internal; with minikube, host.minikube.internal; with Docker Desktop, host.docker.internal
or develop without webhooks: --no-webhooks`;
