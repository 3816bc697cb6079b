import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseImageReference } from '@kubewright/apimachinery/internal';
import { ImageStore } from '@kubewright/controlplane/internal';
import { formatSize } from '../images/image-table.ts';
import type { Context } from '../program/context.ts';
import { operatorImage } from './operator-image.ts';

/** Flags of `build --push`. */
export interface PushFlags {
  /** @defaultValue the base of the Dockerfile */
  readonly base?: string | undefined;
  readonly caFile?: string | undefined;
  readonly plainHttp?: boolean | undefined;
}

type Configure = Parameters<ImageStore['push']>[1]['configure'];

/**
 * Builds the operator's image from `dist/` as the Dockerfile does, for all platforms of the base image, and pushes it. No container
 * runtime is needed, because the image is the base image with two more files. Returns the image with its digest.
 */
export async function pushImage(
  { environment, reporter }: Context,
  {
    dist,
    image,
    base = operatorImage.base,
    caFile,
    plainHttp = false,
  }: PushFlags & { readonly dist: string; readonly image: string },
): Promise<string> {
  const { env, cwd, clock, random, signal } = environment;
  const present = operatorImage.files.filter((name) => existsSync(join(dist, name)));
  const { digest, platforms } = await ImageStore.ofUser(env).push(image, {
    env,
    clock,
    random,
    signal,
    base,
    files: present.map((name) => ({
      path: `${operatorImage.folder.slice(1)}/${name}`,
      content: readFileSync(join(dist, name)),
    })),
    configure,
    createdBy: 'kubewright build',
    caFile: caFile === undefined ? undefined : resolve(cwd, caFile),
    plainHttp: plainHttp ? [image, base].map((name) => parseImageReference(name).domain) : [],
    onLayer: (layer) => reporter.step('layer', `${layer.digest.slice(7, 19)} ${formatSize(layer.size)}`),
  });
  reporter.step('pushed', `${image} for ${platforms.join(' and ')}`);
  return `${image}@${digest}`;
}

const configure: Configure = ({ Cmd: _, Env, Entrypoint, ...base }) => {
  const { folder, user, env, args } = operatorImage;
  const [program = ''] = Entrypoint ?? [];
  const kept = (Env ?? []).filter((line) => !Object.hasOwn(env, line.split('=')[0] ?? ''));
  const own = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // The entry point of distroless images is Node.js; other images have Node.js in their PATH.
  const node = program.endsWith('/node') ? program : 'node';
  return { ...base, User: user, WorkingDir: folder, Env: [...kept, ...own], Entrypoint: [node, ...args] };
};
