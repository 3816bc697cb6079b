import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import { addImagesImport } from './images/import.ts';
import { addImagesList } from './images/list.ts';
import { addImagesLoad } from './images/load.ts';
import { addImagesPrune } from './images/prune.ts';
import { addImagesPull } from './images/pull.ts';

/** Adds `images …`, the commands for the container images that all clusters of a user share. */
export function addImages(program: Command, context: Context): void {
  const images = program.command('images').description('manage the container images on this machine');
  addImagesPull(images, context);
  addImagesLoad(images, context);
  addImagesImport(images, context);
  addImagesList(images, context);
  addImagesPrune(images, context);
}
