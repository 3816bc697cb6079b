import type { Storage } from '@kubewright/apiserver';
import { followStorage, storagePrefix } from '@kubewright/apiserver/internal';
import type { memoryServiceAllocator } from '../kinds/index.ts';

/** Keeps the allocator informed of the addresses and ports that stored Services use, and of the ranges of ServiceCIDRs. */
export async function followServices(
  storage: Storage,
  allocator: ReturnType<typeof memoryServiceAllocator>,
): Promise<readonly Disposable[]> {
  const decode = (stored: { readonly bytes: Uint8Array } | undefined) =>
    stored && JSON.parse(Buffer.from(stored.bytes).toString('utf8'));
  return [
    await followStorage(storage, {
      prefix: storagePrefix({ group: 'networking.k8s.io', resource: 'servicecidrs' }),
      apply: ({ current, previous }) =>
        allocator.rangesStored({ current: decode(current), previous: decode(previous) }),
    }),
    await followStorage(storage, {
      prefix: storagePrefix({ group: '', resource: 'services' }),
      apply: ({ current, previous }) => allocator.stored({ current: decode(current), previous: decode(previous) }),
    }),
  ];
}
