import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { Deployment, ReplicaSet, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { Namespace, Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';

/** Poll interval while waiting for the cluster to settle. */
const LOOK_EVERY_MS = 30;
const GIVE_UP_MS = 4_000;

/**
 * Waits for a cluster to settle. An object that does not settle in time is ignored from then on, so that a bug costs the
 * timeout only once.
 */
export class Settling {
  readonly #client: KubernetesClient;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #restless = new Set<string>();

  constructor(client: KubernetesClient, pause: (ms: number) => Promise<void>) {
    this.#client = client;
    this.#pause = pause;
  }

  /** Waits until controllers, scheduler and nodes are idle; returns the objects that did not settle in time. */
  async rest(): Promise<readonly string[]> {
    let quiet = 0;
    let moving: readonly string[] = [];
    let before = '';
    for (let waited = 0; waited < GIVE_UP_MS; waited += LOOK_EVERY_MS) {
      const seen = await Promise.all(RULES.map((rule) => look(this.#client, rule)));
      moving = seen.flatMap((each) => each.moving).filter((name) => !this.#restless.has(name));
      const versions = seen.map((each) => each.version).join();
      quiet = moving.length === 0 && versions === before ? quiet + 1 : 0;
      before = versions;
      if (quiet === 3) return [];
      await this.#pause(LOOK_EVERY_MS);
    }
    for (const name of moving) this.#restless.add(name);
    return moving;
  }
}

interface Rule {
  readonly kind: Kind<KubernetesObject>;
  rests(object: KubernetesObject): boolean;
}

interface Replicated extends KubernetesObject {
  readonly spec?: { readonly replicas?: number; readonly paused?: boolean };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
  };
}

const replicated = ({ metadata, spec, status }: Replicated): boolean => {
  const wanted = spec?.replicas ?? 1;
  return (
    status?.observedGeneration === metadata.generation &&
    (status?.replicas ?? 0) === wanted &&
    (status?.readyReplicas ?? 0) === wanted
  );
};

const updated = (object: Replicated): boolean =>
  replicated(object) && (object.spec?.paused || (object.status?.updatedReplicas ?? 0) === (object.spec?.replicas ?? 1));

const RULES: readonly Rule[] = [
  { kind: Deployment, rests: updated as Rule['rests'] },
  { kind: ReplicaSet, rests: replicated as Rule['rests'] },
  { kind: StatefulSet, rests: updated as Rule['rests'] },
  {
    kind: Pod,
    rests: (object) => {
      const { metadata, status } = object as Pod;
      const unschedulable = status?.conditions?.some((each) => each.type === 'PodScheduled' && each.status === 'False');
      return metadata.deletionTimestamp === undefined && (status?.phase !== 'Pending' || unschedulable === true);
    },
  },
  {
    kind: Job,
    rests: (object) => {
      const { metadata, status } = object as Job;
      const over = status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed');
      return metadata.deletionTimestamp === undefined && over === true;
    },
  },
  { kind: Namespace, rests: ({ metadata }) => metadata.deletionTimestamp === undefined },
];

async function look(client: KubernetesClient, { kind, rests }: Rule) {
  const { items } = await client.resource(kind).list();
  const name = ({ metadata }: KubernetesObject) => `${kind.kind} ${metadata.name}`;
  const version = items.map(({ metadata }) => metadata.resourceVersion).join();
  return { version, moving: items.filter((item) => !rests(item)).map(name) };
}
