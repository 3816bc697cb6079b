import { type Clock, isAlreadyExists, isConflict, isNotFound } from '@kubewright/apimachinery';
import type { KubernetesClient, ResourceClient } from '@kubewright/client';
import { type Lease, LeaseKind, onOwnConnection } from '../leader-election/lease.ts';
import { microTime } from '../recorder/api-event.ts';
import { heldAnnotation, membersAnnotation } from './members.ts';
import type { View } from './view.ts';

/** Label on members' leases: the group that they belong to. */
const groupLabel = 'kubewright.dev/sharding';

export interface MemberLeaseOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly group: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly durationSeconds: number;
}

/** The Lease of one member. Every write carries the version last read, so that an earlier write cannot overtake a later one. */
export class MemberLease {
  readonly #options: MemberLeaseOptions;
  readonly #leases: ResourceClient<Lease>;
  #lease: Lease | undefined;

  constructor(options: MemberLeaseOptions) {
    this.#options = options;
    this.#leases = options.client.intercepted(onOwnConnection).resource(LeaseKind);
  }

  /** True from the first write of the lease until the lease is found to be deleted. */
  get exists(): boolean {
    return this.#lease !== undefined;
  }

  /** Renews the lease and publishes a view in it. */
  async write(view: View, signal: AbortSignal): Promise<void> {
    try {
      await this.#put(view, signal);
    } catch (error) {
      if (isNotFound(error)) this.#lease = undefined;
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
      // The response to an earlier write of this member was lost, or another client labeled the lease.
      this.#lease = await this.#leases.get(this.#key, { signal });
      await this.#put(view, signal);
    }
  }

  /** Returns all current leases of the group. */
  async list(signal: AbortSignal): Promise<readonly Lease[]> {
    const { group } = this.#options;
    const { items } = await this.#leases.list({
      namespace: this.#key.namespace,
      labelSelector: `${groupLabel}=${group}`,
      signal,
    });
    return items;
  }

  /** Removes the lease. */
  async remove(signal: AbortSignal): Promise<void> {
    await this.removeOther(this.#key.name, this.#lease?.metadata.resourceVersion, signal);
  }

  /** Removes a lease if its version has not changed since it was seen. */
  async removeOther(name: string, resourceVersion: string | undefined, signal: AbortSignal): Promise<void> {
    try {
      const preconditions = resourceVersion === undefined ? {} : { resourceVersion };
      await this.#leases.delete({ ...this.#key, name }, { preconditions, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #put(view: View, signal: AbortSignal): Promise<void> {
    const body = this.#body(view);
    this.#lease = this.#lease
      ? await this.#leases.update(body, { signal })
      : await this.#leases.create(body, { signal });
  }

  #body(view: View): Lease {
    const { group, clock, durationSeconds } = this.#options;
    const now = microTime(clock.now());
    const { metadata, spec } = this.#lease ?? {};
    const before = metadata?.annotations;
    const annotations = {
      [membersAnnotation]: JSON.stringify(view.members),
      [heldAnnotation]: JSON.stringify(view.held),
    };
    const isNew = Object.entries(annotations).some(([name, text]) => before?.[name] !== text);
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...metadata,
        ...this.#key,
        labels: { ...metadata?.labels, [groupLabel]: group },
        annotations: { ...before, ...annotations },
      },
      spec: {
        holderIdentity: this.#key.name,
        leaseDurationSeconds: durationSeconds,
        acquireTime: spec?.acquireTime ?? now,
        renewTime: now,
        // Serves as the generation of the view.
        leaseTransitions: (spec?.leaseTransitions ?? 0) + (isNew ? 1 : 0),
      },
    };
  }

  get #key(): { readonly name: string; readonly namespace: string } {
    const { name, namespace, client } = this.#options;
    return { name, namespace: namespace ?? client.defaultNamespace };
  }
}
