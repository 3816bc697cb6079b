import { parseImageReference } from '@kubewright/apimachinery/internal';
import type { ContentStore } from '../content-store.ts';
import { type PulledImage, pullContent } from './pull-image.ts';
import type { PullOptions } from './pull-options.ts';
import { RegistryAccess } from './registry-access.ts';
import { RegistryRepository } from './registry-repository.ts';

/**
 * Pulls an image from its registry into the store, with the first credential that has access.
 *
 * @param options - `name`: the complete name. `maxBytes`: maximum size of the compressed image.
 * @throws ImageReferenceError, RegistryError or ImageStoreError if the pull fails; the signal's reason if it is aborted.
 */
export async function pullFromRegistry(
  image: string,
  options: PullOptions & { readonly name: string; readonly content: ContentStore; readonly maxBytes: number },
): Promise<PulledImage> {
  const { clock, random, name, onLayer } = options;
  const { tag = 'latest', digest = tag } = parseImageReference(image);
  using access = new RegistryAccess(options);
  return await access.withCredentials(image, (open) =>
    pullContent(digest, {
      ...options,
      onLayer,
      repository: (signal) => new RegistryRepository(open(signal), { name, retry: { clock, random, signal } }),
    }),
  );
}
