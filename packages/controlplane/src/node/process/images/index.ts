import type { ImageSource } from '../image-program.ts';
import { nodeImage } from './node-program.ts';
import { postgresImage } from './postgres.ts';
import { shellImage } from './shell-program.ts';
import { standInImage } from './stand-in.ts';

/** What the built-in images depend on. */
export interface BuiltInImagesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly execPath: string;
  readonly version: string;
  /** Folder of PostgreSQL server programs to take when the machine has none. */
  readonly postgresFallback?: (() => Promise<string | undefined>) | undefined;
}

/** The images that every node knows: postgres, nginx, redis, busybox, pause, node. */
export function builtInImages(options: BuiltInImagesOptions): readonly ImageSource[] {
  return [
    postgresImage({ env: options.env, platform: options.platform, fallback: options.postgresFallback }),
    nodeImage(options),
    shellImage('busybox', ['sh']),
    standInImage('nginx', options),
    standInImage('redis', options),
    standInImage('pause', options),
  ];
}
