import { sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { CliError } from '../program/cli-error.ts';
import { configsOf, isAdmission, isConverted } from '../render/webhook-objects.ts';
import { kindOf, type Target } from './apply-objects.ts';

const pollMs = 100;

/**
 * Waits until the API server can call the webhooks of applied objects: their Service has an endpoint, and the CA bundle
 * is set. Writes fail as long as a webhook that they need cannot be called.
 *
 * @throws CliError KW7310 with what is missing
 */
export async function awaitWebhooks(
  target: Target,
  { objects, timeoutMs }: { readonly objects: readonly UnstructuredObject[]; readonly timeoutMs: number },
): Promise<number> {
  const { clock, signal } = target.environment;
  const relevant = objects.filter((object) => isAdmission(object) || isConverted(object));
  const end = clock.monotonic() + timeoutMs;
  for (const object of relevant) {
    for (;;) {
      const missing = await missingOf(target, object);
      if (missing === undefined) break;
      if (clock.monotonic() >= end) throw unreachable(object, missing);
      await sleep(clock, { ms: pollMs, signal });
    }
  }
  return relevant.length;
}

/** Returns the reason why the API server cannot call an object's webhooks, or undefined. */
async function missingOf(target: Target, object: UnstructuredObject): Promise<string | undefined> {
  const { client, environment } = target;
  const { name = '' } = object.metadata ?? {};
  const current = await client.resource(await kindOf(client, object)).get({ name }, { signal: environment.signal });
  for (const { service, caBundle = '' } of configsOf(current)) {
    if (caBundle === '') return 'the operator has not registered its CA certificate yet';
    if (service && !(await hasEndpoint(target, service)))
      return `the Service ${service.namespace}/${service.name} has no ready pods`;
  }
  return undefined;
}

async function hasEndpoint(
  { client, environment }: Target,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const { items } = await client.resource(EndpointSlice).list({ namespace, labelSelector, signal: environment.signal });
  return items.some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready !== false));
}

function unreachable({ kind, metadata }: UnstructuredObject, why: string): CliError {
  return new CliError('KW7310', {
    what: `writes are rejected because the API server cannot call the webhooks of ${kind} ${metadata?.name}`,
    why,
    remedy: "check the operator's log; or remove the operator and its webhooks: kubewright undeploy",
  });
}
