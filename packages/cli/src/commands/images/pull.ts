import type { Command } from 'commander';
import type { PullFlags } from '../../images/pull.ts';
import type { Context } from '../../program/context.ts';
import { imageReference } from '../options/image.ts';

/** Adds `images pull`, which stores an image from a registry. */
export function addImagesPull(images: Command, context: Context): void {
  images
    .command('pull')
    .description('pull an image from its registry, with the credentials of docker login')
    .argument('<IMAGE>', 'name of the image', imageReference)
    .option('--ca-file <FILE>', 'PEM file of certificate authorities to trust, in addition to those of this machine')
    .option('--plain-http', 'use HTTP instead of HTTPS; registries on this machine do not need this flag')
    .action(async (image: string, options: PullFlags) =>
      (await import('../../images/pull.ts')).pull(context, { ...options, image }),
    );
}
