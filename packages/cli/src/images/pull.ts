import { resolve } from 'node:path';
import { parseImageReference } from '@kubewright/apimachinery/internal';
import { ImageStore } from '@kubewright/controlplane/internal';
import type { Context } from '../program/context.ts';
import { formatSize } from './image-table.ts';

/** Flags of `images pull`. */
export interface PullFlags {
  readonly caFile?: string | undefined;
  readonly plainHttp?: boolean | undefined;
}

/** Stores an image from a registry. */
export async function pull(
  { environment, reporter }: Context,
  { image, caFile, plainHttp = false }: PullFlags & { readonly image: string },
): Promise<void> {
  const { env, cwd, clock, random, signal } = environment;
  const { name } = await ImageStore.ofUser(env).pull(image, {
    env,
    clock,
    random,
    signal,
    caFile: caFile === undefined ? undefined : resolve(cwd, caFile),
    plainHttp: plainHttp ? [parseImageReference(image).domain] : [],
    onLayer: ({ digest, size }) => reporter.step('layer', `${digest.slice(7, 19)} ${formatSize(size)}`),
  });
  reporter.step('pulled', name);
}
