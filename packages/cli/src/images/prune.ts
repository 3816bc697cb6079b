import { ImageStore } from '@kubewright/controlplane/internal';
import type { Context } from '../program/context.ts';
import { formatSize } from './image-table.ts';

/** Options for `images prune`. */
export interface PruneOptions {
  readonly all?: boolean;
}

/** Removes unused content. */
export async function prune({ environment, reporter }: Context, { all = false }: PruneOptions): Promise<void> {
  const { bytes, images } = await ImageStore.ofUser(environment.env).prune({ all });
  reporter.result({ bytes, images }, `removed ${images} image${images === 1 ? '' : 's'}, ${formatSize(bytes)}\n`);
}
