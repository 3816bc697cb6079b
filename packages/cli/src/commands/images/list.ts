import type { Command } from 'commander';
import type { Context } from '../../program/context.ts';

/** Adds `images list`, which prints the images on this machine. */
export function addImagesList(images: Command, context: Context): void {
  images
    .command('list')
    .description('list the images on this machine')
    .action(async () => (await import('../../images/list.ts')).list(context));
}
