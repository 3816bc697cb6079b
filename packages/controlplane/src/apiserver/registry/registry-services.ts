import type { Clock, Random } from '@kubewright/apimachinery';
import type { Storage, StoredObject } from '../../storage/storage.ts';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import type { WatchSource } from '../watch/index.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** What every registry works with. */
export interface RegistryServices {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: AdmissionChain;
  /** Whether another kind is served in a definition's group and version. */
  knowsKind(beside: ResourceDefinition, kind: string): boolean;
  /** Takes what would be written the way that it would take; absent where it comes back as it is. */
  readonly rehearse?: ((stored: StoredObject) => Promise<StoredObject>) | undefined;
  /** Watches of a resource; one source for each {@link ResourceDefinition.storagePrefix}. */
  watchSource(definition: ResourceDefinition): WatchSource;
}
