import type { Command } from 'commander';
import type { LoadOptions } from '../../images/load.ts';
import type { Context } from '../../program/context.ts';
import { imageReference } from '../options/image.ts';

/** Adds `images load`, which stores the images in an archive. */
export function addImagesLoad(images: Command, context: Context): void {
  images
    .command('load')
    .description('load images from an OCI layout (a folder or a tar archive) or the output of docker save')
    .argument('<ARCHIVE>', 'the archive or folder')
    .option('--name <IMAGE>', 'name of the image, if the archive contains none', imageReference)
    .action(async (archive: string, options: LoadOptions) =>
      (await import('../../images/load.ts')).load(context, { ...options, archive }),
    );
}
