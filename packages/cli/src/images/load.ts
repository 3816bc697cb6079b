import { resolve } from 'node:path';
import { ImageStore } from '@kubewright/controlplane/internal';
import type { Context } from '../program/context.ts';

/** Options for `images load`. */
export interface LoadOptions {
  readonly name?: string | undefined;
}

/** Stores the images in an archive. */
export async function load(
  { environment, reporter }: Context,
  { archive, name }: LoadOptions & { readonly archive: string },
): Promise<void> {
  const store = ImageStore.ofUser(environment.env);
  for (const image of await store.load(resolve(environment.cwd, archive), { name })) {
    reporter.step('loaded', image.name);
  }
}

/** Stores a root file system as an image. */
export async function importRoot(
  { environment, reporter }: Context,
  { archive, name }: { readonly archive: string; readonly name: string },
): Promise<void> {
  const store = ImageStore.ofUser(environment.env);
  const image = await store.import(resolve(environment.cwd, archive), { name });
  reporter.step('imported', image.name);
}
