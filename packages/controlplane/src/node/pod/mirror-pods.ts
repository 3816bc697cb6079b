import { isAlreadyExists, isDeleting } from '@kubewright/apimachinery';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { ReconcileRequest, ReconcileResult, RequestContext } from '@kubewright/runtime';

const mirrorAnnotation = 'kubernetes.io/config.mirror';
const namespace = 'kube-system';

/** Returns true for a pod that represents a control plane component of this process. */
export function isMirrorPod({ metadata }: Pod): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

/**
 * Shows the control plane's components as static pods, as on a regular cluster (`kube-apiserver-<node>`, …). The
 * components run in this process, not in containers; their pods report Running but run nothing.
 */
export class MirrorPods {
  readonly #nodeName: string;
  readonly #podIP: string;
  readonly #version: string;
  readonly #components: readonly string[];

  constructor(options: {
    readonly nodeName: string;
    readonly podIP: string;
    readonly version: string;
    readonly components: readonly string[];
  }) {
    this.#nodeName = options.nodeName;
    this.#podIP = options.podIP;
    this.#version = options.version;
    this.#components = options.components;
  }

  /** Keys of the mirror pods. */
  get keys(): readonly ReconcileRequest[] {
    return this.#components.map((component) => ({ namespace, name: `${component}-${this.#nodeName}` }));
  }

  /** True if the key is that of a component's mirror pod, or if the pod with this key is a mirror pod. */
  include(key: ReconcileRequest, pod: Pod | undefined): boolean {
    if (pod && isMirrorPod(pod)) return true;
    return key.namespace === namespace && this.#componentOf(key.name) !== undefined;
  }

  /** Returns the component whose mirror pod has this name. */
  #componentOf(name: string): string | undefined {
    return this.#components.find((component) => name === `${component}-${this.#nodeName}`);
  }

  /** Ensures that the pod with this key exists and reports Running. */
  async reconcile({ name }: ReconcileRequest, ctx: RequestContext): Promise<ReconcileResult | undefined> {
    const component = this.#componentOf(name);
    const pod = ctx.cache.lister(Pod).get({ namespace, name });
    if (pod && isDeleting(pod)) {
      await ctx.delete(pod, { gracePeriodSeconds: 0 });
      return undefined;
    }
    if (component === undefined) return undefined;
    const node = ctx.cache.lister(Node).get({ name: this.#nodeName });
    if (!node) return { requeueAfterMs: 500 };
    if (!pod) {
      try {
        await ctx.client.resource(Pod).create(this.#pod(component, node), { signal: ctx.signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      return undefined;
    }
    if (pod.status?.phase !== 'Running') await this.#reportRunning(component, { pod, ctx });
    return undefined;
  }

  #pod(component: string, node: Node): Pod {
    const image = `registry.k8s.io/${component}:${this.#version}`;
    const mirror = `${component}-in-process`;
    return Pod({
      metadata: {
        name: `${component}-${this.#nodeName}`,
        namespace,
        labels: { component, tier: 'control-plane' },
        annotations: {
          [mirrorAnnotation]: mirror,
          'kubernetes.io/config.hash': mirror,
          'kubernetes.io/config.source': 'file',
        },
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Node', name: this.#nodeName, uid: node.metadata.uid ?? '', controller: true },
        ],
      },
      spec: {
        nodeName: this.#nodeName,
        hostNetwork: true,
        enableServiceLinks: false,
        priorityClassName: 'system-node-critical',
        containers: [{ name: component, image, imagePullPolicy: 'IfNotPresent' }],
        tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
      },
    });
  }

  async #reportRunning(
    component: string,
    { pod, ctx }: { readonly pod: Pod; readonly ctx: RequestContext },
  ): Promise<void> {
    const now = formatTime(ctx.clock.now());
    const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
    const status = {
      phase: 'Running',
      conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime: now })),
      hostIP: this.#podIP,
      hostIPs: [{ ip: this.#podIP }],
      podIP: this.#podIP,
      podIPs: [{ ip: this.#podIP }],
      startTime: now,
      containerStatuses: [
        {
          name: component,
          state: { running: { startedAt: now } },
          lastState: {},
          ready: true,
          started: true,
          restartCount: 0,
          image: pod.spec?.containers[0]?.image ?? '',
          imageID: `local://in-process/${component}`,
          containerID: `process://in-process-${component}`,
        },
      ],
    };
    const key = { namespace, name: pod.metadata.name ?? '' };
    const body = { metadata: { uid: pod.metadata.uid }, status };
    await ctx.client.resource(Pod).status.patch(key, { type: 'strategic', body }, { signal: ctx.signal });
  }
}
