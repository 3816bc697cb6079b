import type { Storage } from '@kubewright/apiserver';
import { eachChange } from '@kubewright/apiserver/internal';
import type { memoryServiceAllocator } from '../kinds/index.ts';

/** Keeps the allocator informed of the addresses and ports of stored services. */
export async function followServices(
  storage: Storage,
  allocator: ReturnType<typeof memoryServiceAllocator>,
): Promise<Disposable> {
  const prefix = '/registry/services/';
  const decode = (stored: { readonly bytes: Uint8Array } | undefined) =>
    stored && JSON.parse(Buffer.from(stored.bytes).toString('utf8'));
  const { objects, revision } = await storage.list({ prefix });
  for (const stored of objects) allocator.stored({ current: decode(stored), previous: undefined });
  const apply = eachChange(({ current, previous }) =>
    allocator.stored({ current: decode(current), previous: decode(previous) }),
  );
  return storage.watch({ prefix, fromRevision: revision }, apply);
}
