import type { ImageSource } from '../image-program.ts';
import { type FindProgram, installedPrograms } from './find-program.ts';
import { nginxImage } from './nginx.ts';
import { nodeImage } from './node-program.ts';
import { postgresImage } from './postgres.ts';
import { redisImage } from './redis.ts';
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
  /** Finds nginx and redis-server. @defaultValue looks in PATH and the usual folders */
  readonly findProgram?: FindProgram | undefined;
}

/** The images that every node knows: postgres, nginx, redis, busybox, pause, node. */
export function builtInImages(options: BuiltInImagesOptions): readonly ImageSource[] {
  const { env, platform, execPath, findProgram = installedPrograms({ env, platform }) } = options;
  return [
    postgresImage({ env, platform, fallback: options.postgresFallback }),
    nodeImage(options),
    shellImage('busybox', ['sh']),
    nginxImage({ execPath, findProgram }),
    redisImage({ execPath, findProgram }),
    standInImage('pause', options),
  ];
}
