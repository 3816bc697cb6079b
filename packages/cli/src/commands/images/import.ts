import type { Command } from 'commander';
import type { Context } from '../../program/context.ts';
import { imageReference } from '../options/image.ts';

/** Adds `images import`, which stores a root file system as an image. */
export function addImagesImport(images: Command, context: Context): void {
  images
    .command('import')
    .description('create an image from a tar archive of a root file system, like docker import')
    .argument('<ARCHIVE>', 'the archive')
    .argument('<IMAGE>', 'name of the image', imageReference)
    .action(async (archive: string, name: string) =>
      (await import('../../images/load.ts')).importRoot(context, { archive, name }),
    );
}
