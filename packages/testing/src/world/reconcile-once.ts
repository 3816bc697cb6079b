import {
  type Clock,
  type KindDescriptor,
  type KubernetesObject,
  type ObjectKey,
  type Random,
  seededRandom,
  systemClock,
  VirtualClock,
} from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests } from '@kubewright/controlplane';
import { inMemoryServer } from '@kubewright/controlplane/internal';
import type { ControllerDefinition, Logger } from '@kubewright/runtime';
import { reconcileKey } from '@kubewright/runtime/internal';
import type { Faults } from '../faults/faults.ts';
import { createObjects, ensureNamespace } from './create-objects.ts';
import { serveKinds } from './served-kinds.ts';
import { WorldError } from './world-error.ts';

/**
 * The objects, time and faults with which {@link reconcileOnce} runs: objects in memory, or an object in a running cluster.
 *
 * @example
 * ```ts
 * const world: ReconcileWorld<ConfigMap> = { objects: [ConfigMap({ metadata: { name: 'a' } })], now: '2030-01-01T00:00:00Z' };
 * ```
 */
export type ReconcileWorld<T extends KubernetesObject> = {
  /**
   * The current time, or a clock. An in-memory server uses the same time; a running cluster has its own clock.
   *
   * @defaultValue `2026-01-01T00:00:00Z`; the system clock in a running cluster
   */
  readonly now?: string | VirtualClock | undefined;
  /** Faults in the controller's API calls. */
  readonly faults?: Faults | undefined;
  /** The value of `ctx.random`. @defaultValue seeded with 1, so that every run is the same */
  readonly random?: Random | undefined;
  /** @defaultValue none */
  readonly log?: Logger | undefined;
  /** Cancels the reconcile. */
  readonly signal?: AbortSignal | undefined;
} & (
  | {
      /**
       * All objects that exist, with their status. The first object is reconciled. Owner references among the objects get
       * the right UIDs, so you can set any UID.
       */
      readonly objects: readonly [T, ...KubernetesObject[]];
      /** The key of another object to reconcile, such as one that does not exist. @defaultValue the first object */
      readonly key?: ObjectKey | undefined;
      /**
       * YAML files with the generated CRDs, whose defaults and validation then apply. A kind that no file defines has no schema:
       * any object is valid, and no field has a default.
       */
      readonly manifests?: readonly string[] | undefined;
      /**
       * Kinds to serve in addition to the kinds that the controller watches, such as the kinds of other objects.
       *
       * @defaultValue none
       */
      readonly kinds?: readonly KindDescriptor[] | undefined;
    }
  | {
      /** A client of a running cluster, such as a `TestEnvironment`, whose other controllers also run. Not disposed. */
      readonly client: KubernetesClient;
      /** The object to reconcile, or its key. An object that is not stored yet is created first. */
      readonly object: T | ObjectKey;
    }
);

type InMemoryWorld<T extends KubernetesObject> = Extract<ReconcileWorld<T>, { readonly objects: unknown }>;
type RunningCluster<T extends KubernetesObject> = Extract<ReconcileWorld<T>, { readonly client: unknown }>;

/**
 * The outcome of one reconcile.
 *
 * @example
 * ```ts
 * const isSettled = ({ writes, result }: ReconcileReport<KubernetesObject>): boolean => writes.length === 0 && !result.requeue;
 * ```
 */
export interface ReconcileReport<T extends KubernetesObject> extends Awaited<ReturnType<typeof reconcileKey<T>>> {
  /** The status of the object after the reconcile. */
  readonly status: (T extends { readonly status?: infer S } ? S : unknown) | undefined;
  /** A client for reading and changing the world: an administrator's, or the given client of a running cluster. */
  readonly client: KubernetesClient;
  /** Reconciles the object again in the current state of the server. */
  again(): Promise<ReconcileReport<T>>;
}

/**
 * Reconciles one object once in an in-memory world: an API server with the given objects and a virtual clock. There is
 * no manager, no cluster and nothing to stop, and a reconcile takes milliseconds. The server validates, sets defaults,
 * applies and merges like any other, but no other controller runs: nothing is garbage collected, and no pod starts.
 *
 * With `client` and `object`, it reconciles in a running cluster: `reconcileOnce(shops, { client, object: shop })`.
 *
 * @throws the error of the reconcile function, unchanged; StatusError if the server rejects an object; WorldError (KW8001) if an
 * object's kind is unknown
 *
 * @example
 * ```ts
 * const shop = Shop({ metadata: { name: 'one', namespace: 'default' }, spec: { message: 'hi' } });
 * const { writes, status, events, result, again } = await reconcileOnce(shops, { objects: [shop], now: '2030-01-01T00:00:00Z' });
 * toMatch([{ verb: 'apply', kind: 'ConfigMap', body: { data: { message: 'hi' } } }, { subresource: 'status' }])(writes);
 * toMatch({ writes: [], result: {} })(await again());
 * ```
 */
export async function reconcileOnce<T extends KubernetesObject>(
  definition: ControllerDefinition,
  world: ReconcileWorld<T>,
): Promise<ReconcileReport<T>> {
  const { random = seededRandom(1) } = world;
  if ('client' in world) {
    const clock = world.now === undefined ? systemClock : virtualClock(world.now);
    return reconcileIn(definition, { ...world, clock, random });
  }
  const clock = virtualClock(world.now);
  const place = await inMemoryWorld(definition, world, { clock, random });
  return reconcileIn(definition, { ...world, ...place, clock, random });
}

function virtualClock(now: ReconcileWorld<KubernetesObject>['now']): VirtualClock {
  return now instanceof VirtualClock ? now : new VirtualClock(now === undefined ? undefined : timeOf(now));
}

/** Starts an API server with the objects of a world. */
async function inMemoryWorld<T extends KubernetesObject>(
  definition: ControllerDefinition,
  world: InMemoryWorld<T>,
  { clock, random }: { readonly clock: VirtualClock; readonly random: Random },
): Promise<Pick<RunningCluster<T>, 'client' | 'object'>> {
  const { objects, manifests = [], kinds = [] } = world;
  const client = await inMemoryServer({ clock, random });
  await applyManifests(client, { files: manifests, fieldManager: 'test' });
  client.discovery.invalidate();
  await serveKinds(client, [...kindsOf(definition), ...kinds]);
  const [first] = await createObjects(client, { objects, clock });
  const { name = '', namespace } = world.key ?? first?.metadata ?? {};
  const key = namespace === undefined ? { name } : { namespace, name };
  await ensureNamespace(client, { kind: '', metadata: key });
  return { client, object: key };
}

async function reconcileIn<T extends KubernetesObject>(
  definition: ControllerDefinition,
  world: RunningCluster<T> & { readonly clock: Clock; readonly random: Random },
): Promise<ReconcileReport<T>> {
  const { client, object, clock, random, faults, log, signal } = world;
  const report = await reconcileKey<T>(definition, object, {
    client: faults ? client.intercepted(faults.interceptor) : client,
    clock,
    random,
    ...defined({ log, signal }),
  });
  const { status } = (report.object ?? {}) as { readonly status?: ReconcileReport<T>['status'] };
  const { namespace, name = '' } = report.object?.metadata ?? ('metadata' in object ? object.metadata : object);
  const key = { name, ...defined({ namespace }) };
  return { ...report, status, client, again: () => reconcileIn<T>(definition, { ...world, object: key }) };
}

function timeOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) {
    const what = `invalid value ${JSON.stringify(text)} of \`now\``;
    throw new WorldError({ what, why: 'the value is not a valid time', remedy: 'use the format 2030-01-01T00:00:00Z' });
  }
  return ms;
}

/** Returns the kinds that a controller reads. */
function kindsOf({ primary, watches, caches = [] }: ControllerDefinition): readonly KindDescriptor[] {
  return [
    ...(primary ? [primary] : []),
    ...watches.map(({ cached }) => cached.kind),
    ...caches.map((each) => (typeof each.kind === 'string' ? (each as KindDescriptor) : each.kind)),
  ];
}
