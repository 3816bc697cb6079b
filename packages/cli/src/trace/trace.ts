import { isControlledBy, isNotFound, type KubernetesObject, type Stored } from '@kubewright/apimachinery';
import { Event } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { failureOf } from '../program/failure.ts';
import { connect } from '../target/connect.ts';
import { follow } from './follow.ts';
import { type Hop, hopsOf, type TracedObject } from './hops.ts';
import { stepLegend, stepOf } from './steps.ts';
import { liveHeadings, liveRowOf, tableOf } from './table.ts';
import type { TraceOptions, TraceTarget } from './target.ts';

/** A workload and its namespace. */
interface TraceScope {
  readonly target: TraceTarget;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** True to number the steps of the request. @defaultValue false */
  readonly steps?: boolean | undefined;
}

/** Prints what each component did for a workload. */
export async function trace(
  context: Context,
  { target, namespace, follow: isFollowing, steps, ...flags }: TraceOptions & { readonly target: TraceTarget },
): Promise<void> {
  const { environment, reporter } = context;
  await using connection = await connect(environment, flags);
  const { client } = connection;
  const scope = { target, namespace: namespace ?? client.defaultNamespace, signal: environment.signal, steps };
  if (isFollowing) return await printLive(client, scope, context);
  const hops = await hopsIn(client, scope);
  reporter.result({ hops }, `${tableOf(hops, { steps })}${steps ? stepLegend : ''}`);
}

/** Prints each hop as it happens. If several watches fail for the same reason, prints the reason once. */
async function printLive(client: KubernetesClient, scope: TraceScope, context: Context): Promise<void> {
  const { reporter, environment } = context;
  const { steps } = scope;
  const failures = new Set<string>();
  const onHop = (hop: Hop): void => {
    failures.clear();
    const numbered = steps ? { ...hop, step: stepOf(hop, scope.target) } : hop;
    reporter.result({ hop: numbered }, liveRowOf(numbered, { steps }));
  };
  const onRetry = (error: unknown): void => {
    const { what, why } = failureOf(error, { debug: false }).message;
    const text = `${what}: ${why}; retrying`;
    if (!failures.has(text)) reporter.step('watch interrupted', text, 'bad');
    failures.add(text);
  };
  reporter.text(liveHeadings({ steps }));
  await follow(client, { ...scope, clock: environment.clock, onHop, onRetry });
  if (steps) reporter.text(stepLegend);
}

/**
 * Reads a workload, the objects below it and their events; returns the hops.
 *
 * @throws CliError KW7306 if the workload does not exist
 */
export async function hopsIn(client: KubernetesClient, scope: TraceScope): Promise<readonly Hop[]> {
  const { target, namespace, signal, steps } = scope;
  const [, ...below] = target.kinds;
  let owners: readonly Stored<KubernetesObject>[] = [await workloadOf(client, scope)];
  const objects: TracedObject[] = owners.map((object) => ({ object, depth: 0 }));
  for (const [at, kind] of below.entries()) {
    const all = await client.resource(kind).list({ namespace, signal });
    const children = all.items.filter((each) => owners.some((owner) => isControlledBy(each, owner)));
    objects.push(...children.map((object) => ({ object, depth: at + 1 })));
    owners = children;
  }
  const events = await client.resource(Event).list({ namespace, signal });
  const hops = hopsOf(objects, events.items);
  return steps ? hops.map((hop) => ({ ...hop, step: stepOf(hop, target) })) : hops;
}

async function workloadOf(
  client: KubernetesClient,
  { target: { kinds, name }, namespace, signal }: TraceScope,
): Promise<Stored<KubernetesObject>> {
  const [kind] = kinds;
  try {
    return await client.resource(kind).get({ namespace, name }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const text = {
      what: `cannot trace ${kind.kind} ${namespace}/${name}`,
      why: 'the object does not exist',
      remedy: `check the name and the namespace: kubectl get ${kind.plural} --all-namespaces; or wait for the object with --follow`,
    };
    throw new CliError('KW7306', text, { cause: error });
  }
}
