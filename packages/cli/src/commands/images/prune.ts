import type { Command } from 'commander';
import type { PruneOptions } from '../../images/prune.ts';
import type { Context } from '../../program/context.ts';

/** Adds `images prune`, which removes unused content. */
export function addImagesPrune(images: Command, context: Context): void {
  images
    .command('prune')
    .description('remove content that no image uses; do not load or pull images at the same time')
    .option('--all', 'also remove all images')
    .action(async (options: PruneOptions) => (await import('../../images/prune.ts')).prune(context, options));
}
