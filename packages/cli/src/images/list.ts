import { ImageStore } from '@kubewright/controlplane/internal';
import type { Context } from '../program/context.ts';
import { imageTable } from './image-table.ts';

/** Prints the images on this machine. */
export async function list({ environment, reporter }: Context): Promise<void> {
  const images = await ImageStore.ofUser(environment.env).list();
  reporter.result({ images }, images.length === 0 ? 'this machine has no images\n' : imageTable(images));
}
