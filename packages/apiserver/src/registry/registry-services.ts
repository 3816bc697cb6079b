import type { Clock, Random } from '@kubewright/apimachinery';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import type { Storage, StoredObject } from '../storage/storage.ts';
import type { WatchSource } from '../watch/index.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** Dependencies shared by all registries. */
export interface RegistryServices {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: AdmissionChain;
  /** Reports whether `kind` is served in the group and version of `beside`. */
  knowsKind(beside: ResourceDefinition, kind: string): boolean;
  /**
   * Converts an object to its stored form and back, as a write would. Absent if the round trip never changes an object.
   */
  readonly rehearse?: ((stored: StoredObject) => Promise<StoredObject>) | undefined;
  /**
   * Returns the watch source of a resource. Resources with the same {@link ResourceDefinition.storagePrefix} share one
   * source.
   */
  watchSource(definition: ResourceDefinition): WatchSource;
}
