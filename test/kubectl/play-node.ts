import { isDeleting, isNotFound, objectKey } from '@kubewright/apimachinery';
import { type Container, Node, Pod } from '@kubewright/apimachinery/core/v1';
import { type ControllerDefinition, controller, type ReconcileContext } from '@kubewright/runtime';
import { playContainer } from './play-container.ts';

/** The identity of a simulated node. */
export interface PlayedNode {
  readonly name: string;
  /** Port on 127.0.0.1 that serves as the kubelet; unset if logs and exec are served elsewhere. */
  readonly kubeletPort?: number | undefined;
}

/**
 * Simulates nodes for a control plane without any: keeps them Ready, starts scheduled pods with addresses and exited
 * containers, and completes pod deletions. The simulation is deterministic, so the same commands print the same output
 * against any server.
 */
export function playNodes(nodes: readonly PlayedNode[]): readonly ControllerDefinition[] {
  const addresses = new Map<string, string>();
  return [heartbeats(), pods(new Set(nodes.map(({ name }) => name)), addresses)];
}

/**
 * An image that only node-1 has. It is so large that the scheduler places pods with this image on node-1. Otherwise the
 * choice between the two nodes would be random, and so would be the pods that `drain node-2` evicts.
 */
const preferred = [{ names: ['busybox:1.37'], sizeBytes: 4_000_000_000 }];

/** Returns the Node object that a simulated node registers. */
export function nodeObject({ name, kubeletPort }: PlayedNode): Node {
  const resources = { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '20Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    },
    status: {
      capacity: resources,
      allocatable: resources,
      // Only an IP address: the API server would prefer a host name, and could not resolve it.
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort ?? 10_250 } },
      declaredFeatures: ['ExtendWebSocketsToKubelet'],
      nodeInfo: {
        architecture: 'amd64',
        bootID: 'boot',
        containerRuntimeVersion: 'played://1',
        kernelVersion: '6.1.0',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.36.3',
        machineID: 'machine',
        operatingSystem: 'linux',
        osImage: 'Played Linux',
        systemUUID: 'system',
      },
      ...(name === 'node-1' ? { images: preferred } : {}),
    },
  };
}

const HEARTBEAT_MS = 10_000;

/** Sends heartbeats more often than every 40 s, after which the node lifecycle controller considers a node unreachable. */
function heartbeats(): ControllerDefinition {
  return controller<Node>({
    name: 'played-node',
    for: Node,
    async reconcile(node, ctx) {
      const now = timestamp(ctx);
      const since = node.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? now;
      const ready = {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
        lastHeartbeatTime: now,
        lastTransitionTime: since,
      };
      await ctx.client
        .resource(Node)
        .status.patch(
          objectKey(node),
          { type: 'strategic', body: { status: { conditions: [ready] } } },
          { signal: ctx.signal },
        );
      return { requeueAfterMs: HEARTBEAT_MS };
    },
    predicates: [({ type }) => type !== 'update'],
  });
}

function pods(nodes: ReadonlySet<string>, addresses: Map<string, string>): ControllerDefinition {
  return controller<Pod>({
    name: 'played-pods',
    for: Pod,
    maxConcurrentReconciles: 4,
    async reconcile(pod, ctx) {
      if (!nodes.has(pod.spec?.nodeName ?? '')) return undefined;
      if (isDeleting(pod)) return end(pod, ctx);
      if ((pod.status?.phase ?? 'Pending') === 'Pending') return begin(pod, ctx, addresses);
      return undefined;
    },
  });
}

async function end(pod: Pod, ctx: ReconcileContext<Pod>): Promise<undefined> {
  const { uid } = pod.metadata;
  const options = { gracePeriodSeconds: 0, signal: ctx.signal, ...(uid ? { preconditions: { uid } } : {}) };
  if (pod.metadata.deletionGracePeriodSeconds === 0) return undefined;
  await ctx.client
    .resource(Pod)
    .delete(objectKey(pod), options)
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  return undefined;
}

async function begin(pod: Pod, ctx: ReconcileContext<Pod>, addresses: Map<string, string>): Promise<undefined> {
  const uid = pod.metadata.uid ?? '';
  const podIP = addresses.get(uid) ?? `10.244.0.${2 + addresses.size}`;
  addresses.set(uid, podIP);
  const body = { status: runningStatus(pod, { podIP, now: timestamp(ctx) }) };
  await ctx.client.resource(Pod).status.patch(objectKey(pod), { type: 'strategic', body }, { signal: ctx.signal });
  return undefined;
}

function runningStatus(pod: Pod, { podIP, now }: { readonly podIP: string; readonly now: string }) {
  const containers = (pod.spec?.containers ?? []).map((container) => containerStatus(container, pod, now));
  const ended = containers.every(({ state }) => state.terminated !== undefined);
  const failed = containers.some(({ state }) => (state.terminated?.exitCode ?? 0) !== 0);
  const phase = ended && pod.spec?.restartPolicy !== 'Always' ? (failed ? 'Failed' : 'Succeeded') : 'Running';
  const ready = phase === 'Running' ? 'True' : 'False';
  const why = phase === 'Running' ? {} : { reason: phase === 'Failed' ? 'PodFailed' : 'PodCompleted' };
  const condition = (type: string, status: string, more: object = {}) => ({
    type,
    status,
    lastTransitionTime: now,
    ...more,
  });
  return {
    phase,
    hostIP: '127.0.0.1',
    hostIPs: [{ ip: '127.0.0.1' }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: now,
    conditions: [
      condition('PodReadyToStartContainers', 'True'),
      condition('Initialized', 'True', phase === 'Running' ? {} : { reason: 'PodCompleted' }),
      condition('Ready', ready, why),
      condition('ContainersReady', ready, why),
    ],
    containerStatuses: containers,
  };
}

function containerStatus(container: Container, pod: Pod, now: string) {
  const { exitCode } = playContainer(container);
  const containerID = `played://${container.name}`;
  const terminated = {
    exitCode: exitCode ?? 0,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: now,
    finishedAt: now,
    containerID,
  };
  const runs = exitCode === undefined || pod.spec?.restartPolicy === 'Always';
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: `played/${container.image ?? ''}`,
    containerID,
    ready: runs,
    started: runs,
    restartCount: 0,
    state: (runs ? { running: { startedAt: now } } : { terminated }) as {
      readonly running?: { readonly startedAt: string };
      readonly terminated?: typeof terminated;
    },
  };
}

function timestamp(ctx: ReconcileContext<never> | ReconcileContext<Pod> | ReconcileContext<Node>): string {
  return `${new Date(ctx.clock.now()).toISOString().slice(0, 19)}Z`;
}
