import { apiVersionOf } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import {
  enqueueMapped,
  type ReconcileOutcome,
  type RequestContext,
  requestController,
  type Source,
  watch,
} from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { collect } from './collect.ts';
import { MonitoredResources } from './monitored-resources.ts';
import { type GraphNode, OwnerGraph } from './owner-graph.ts';
import { OwnerLookup } from './owner-lookup.ts';

const account = 'generic-garbage-collector';
/** The request to rediscover the served resources. All other requests name an object's uid. */
const resourcesRequest = { name: 'resources' };
/** The interval of discovery, in milliseconds. Needed because aggregated servers add and remove resources without a CRD. */
const rediscoverMs = 30_000;
/** The delay before a node is retried while some kind is still being listed, in milliseconds. */
const unsyncedMs = 100;

/**
 * Deletes objects whose owners no longer exist. As requested when the owner was deleted, dependents are deleted after the owner
 * (background), before the owner (foreground), or kept (orphan). Follows every kind that the server serves, including the kinds
 * of CRDs, which can be created and deleted at any time.
 */
export function garbageCollector(): BuiltInController {
  const collector = new GarbageCollector();
  return {
    account,
    definition: requestController({
      name: 'garbage-collector-controller',
      maxConcurrentReconciles: 20,
      watches: [
        watch(
          CustomResourceDefinition,
          enqueueMapped(() => [resourcesRequest]),
        ),
      ],
      sources: [collector.source],
      reconcile: (request, ctx) => collector.reconcile(request.name, ctx),
    }),
  };
}

class GarbageCollector {
  readonly source: Source = {
    name: 'monitored resources',
    start: async (context, { signal }) => {
      this.#enqueue = (uid) => context.enqueue({ name: uid });
      const stop = (): void => void this.#monitors.stop();
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      context.enqueue(resourcesRequest);
    },
  };
  readonly #events = new CoreEventRecorder('garbage-collector-controller');
  readonly #lookup = new OwnerLookup();
  readonly #graph = new OwnerGraph({
    enqueue: (uid) => this.#enqueue(uid),
    mismatch: (dependent, owner) => void this.#mismatches.set(dependent.uid, owner),
  });
  readonly #monitors = new MonitoredResources({
    observe: (kind, metadata) => this.#graph.observe(kind, metadata),
    remove: (uid) => this.#remove(uid),
  });
  /**
   * Owners that do not match a dependent's reference, by the dependent's uid. Kept until an event reports the mismatch.
   */
  readonly #mismatches = new Map<string, GraphNode>();
  #enqueue: (uid: string) => void = () => {};

  async reconcile(name: string, ctx: RequestContext): Promise<ReconcileOutcome> {
    if (name === resourcesRequest.name) return this.#followResources(ctx);
    const node = this.#graph.node(name);
    if (!node) return undefined;
    return this.#events.during(ctx, () => this.#collect(node, ctx));
  }

  async #collect(node: GraphNode, ctx: RequestContext): Promise<ReconcileOutcome> {
    this.#reportMismatch(node, ctx);
    const outcome = await collect(node, {
      client: ctx.client,
      signal: ctx.signal,
      graph: this.#graph,
      lookup: this.#lookup,
      enqueue: (uid) => this.#enqueue(uid),
      hasSynced: () => this.#monitors.hasSynced,
    });
    return outcome === 'look-again' ? { requeueAfterMs: unsyncedMs } : undefined;
  }

  async #followResources({ client, clock, log, signal }: RequestContext): Promise<ReconcileOutcome> {
    client.discovery.invalidate();
    const { resources } = await client.discovery.mapper({ signal });
    await this.#monitors.follow(resources, { client, clock, log });
    return { requeueAfterMs: rediscoverMs };
  }

  #remove(uid: string): void {
    const node = this.#graph.node(uid);
    if (node?.kind) {
      const { kind, name, namespace } = node;
      this.#lookup.noteAbsent({ apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid }, namespace);
    }
    this.#mismatches.delete(uid);
    this.#graph.remove(uid);
  }

  /**
   * Records an event if an owner is in another namespace. The reference is then invalid, and the dependent will be
   * deleted.
   */
  #reportMismatch(node: GraphNode, ctx: RequestContext): void {
    const owner = this.#mismatches.get(node.uid);
    if (!owner || !node.kind) return;
    this.#mismatches.delete(node.uid);
    if (owner.namespace === '' || owner.namespace === node.namespace) return;
    const reference = node.owners.find(({ uid }) => uid === owner.uid);
    if (!reference) return;
    const { apiVersion, kind, name, uid } = reference;
    const about = {
      apiVersion: apiVersionOf(node.kind),
      kind: node.kind.kind,
      metadata: { name: node.name, uid: node.uid, ...(node.namespace && { namespace: node.namespace }) },
    };
    this.#events.record(ctx, {
      about,
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [${apiVersion}/${kind}, namespace: ${node.namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${node.namespace}"`,
    });
  }
}
