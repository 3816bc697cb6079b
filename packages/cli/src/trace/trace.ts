import { isControlledBy, type KubernetesObject, type Stored } from '@kubewright/apimachinery';
import { Event } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Context } from '../program/context.ts';
import { connect } from '../target/connect.ts';
import { type Hop, hopsOf, type TracedObject } from './hops.ts';
import type { TraceOptions, TraceTarget } from './target.ts';

/** Prints what each component did for a workload. */
export async function trace(
  { environment, reporter }: Context,
  { target, namespace, ...flags }: TraceOptions & { readonly target: TraceTarget },
): Promise<void> {
  await using connection = await connect(environment, flags);
  const { client } = connection;
  const { signal } = environment;
  const hops = await hopsIn(client, { target, namespace: namespace ?? client.defaultNamespace, signal });
  reporter.result({ hops }, tableOf(hops));
}

/** Reads a workload, the objects below it and their events; returns the hops. */
export async function hopsIn(
  client: KubernetesClient,
  {
    target,
    namespace,
    signal,
  }: { readonly target: TraceTarget; readonly namespace: string; readonly signal: AbortSignal },
): Promise<readonly Hop[]> {
  const { kinds, name } = target;
  const [first, ...below] = kinds;
  let owners: readonly Stored<KubernetesObject>[] = [await client.resource(first).get({ namespace, name }, { signal })];
  const objects: TracedObject[] = owners.map((object) => ({ object, depth: 0 }));
  for (const [at, kind] of below.entries()) {
    const all = await client.resource(kind).list({ namespace, signal });
    const children = all.items.filter((each) => owners.some((owner) => isControlledBy(each, owner)));
    objects.push(...children.map((object) => ({ object, depth: at + 1 })));
    owners = children;
  }
  const events = await client.resource(Event).list({ namespace, signal });
  return hopsOf(objects, events.items);
}

/** Formats the hops as a table with columns as wide as their content. */
export function tableOf(hops: readonly Hop[]): string {
  const rows = hops.map(({ time, component, object, resourceVersion, what }) => [
    time.replace(/(\.\d{3})\d*Z$/, '$1Z'),
    component,
    object,
    resourceVersion,
    what,
  ]);
  const table = [['TIME', 'COMPONENT', 'OBJECT', 'VERSION', 'WHAT'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('   ')
          .trimEnd()}\n`,
    )
    .join('');
}
