import { isDeleting } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Pod, Service } from '@kubewright/apimachinery/core/v1';
import { controller, enqueueMapped, watch } from '@kubewright/runtime';
import { Redis } from './api/v1alpha1/redis.ts';
import { instanceLabel, serversFor, servicesFor } from './children.ts';
import { parseInfo, planReplication, type Server } from './replication.ts';
import { sendCommand } from './send-command.ts';

/** Runs the servers of each `Redis` as one primary and its replicas, and promotes a replica when the primary fails. */
export const redis = controller({
  for: Redis,
  owns: [Service, StatefulSet],
  watches: [
    watch(
      Pod,
      enqueueMapped(({ namespace, labels = {} }) => [{ namespace, name: labels[instanceLabel] ?? '' }]),
      { labelSelector: instanceLabel },
    ),
  ],
  async reconcile(object, ctx) {
    const { name, namespace } = object.metadata;
    const pods = await ctx.list(Pod, { namespace, labelSelector: `${instanceLabel}=${name}` });
    const inspections = pods.map((pod) => inspect(pod, ctx));
    const servers = (await Promise.all(inspections)).filter((server) => server !== undefined);
    const before = object.status?.primary;
    const { primary, orders } = planReplication(servers, before);
    for (const { server, command } of orders) await sendCommand(server.host, command, ctx);
    if (primary?.follows && before) {
      ctx.events.record({ reason: 'FailedOver', note: `${primary.name} replaces ${before}` });
    }
    const isDone = orders.length === 0 && servers.length === object.spec.size;
    return {
      children: [...servicesFor(object, primary?.name), serversFor(object)],
      status: {
        ...(primary && { primary: primary.name }),
        replicas: servers.filter(({ isLinked }) => isLinked).length,
      },
      // A server that hangs or loses its link causes no event.
      requeueAfterMs: isDone ? 2_000 : 500,
    };
  },
});

/** Queries the role of the server in a pod; returns undefined if it does not respond. */
async function inspect(pod: Pod, ctx: { readonly signal: AbortSignal }): Promise<Server | undefined> {
  const host = pod.status?.podIP;
  if (host === undefined || isDeleting(pod)) return undefined;
  const info = await sendCommand(host, 'INFO replication', ctx).catch(() => undefined);
  return info === undefined ? undefined : parseInfo({ name: pod.metadata.name ?? '', host }, info);
}
