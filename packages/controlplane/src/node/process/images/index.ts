import type { ImageSource } from '../image-program.ts';
import { type FindProgram, installedPrograms } from './find-program.ts';
import { nginxImage } from './nginx.ts';
import { nodeImage } from './node-program.ts';
import { postgresImage } from './postgres.ts';
import { pythonImage } from './python.ts';
import { redisImage } from './redis.ts';
import { shellImage, usualShell } from './shell-program.ts';
import { standInImage } from './stand-in.ts';

/** Options for {@link builtInImages}. */
export interface BuiltInImagesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly execPath: string;
  readonly version: string;
  /** Returns a folder of PostgreSQL server programs to use if the machine has none. */
  readonly postgresFallback?: (() => Promise<string | undefined>) | undefined;
  /** Finds nginx and redis-server. @defaultValue searches PATH and the usual folders */
  readonly findProgram?: FindProgram | undefined;
  /** Returns true if all users that containers run as can run the program at a path. @defaultValue true for every path */
  readonly isForAll?: ((path: string) => boolean) | undefined;
}

/** Returns the images that every node provides: postgres, nginx, redis, node, python, busybox, alpine, debian, ubuntu, pause. */
export function builtInImages(options: BuiltInImagesOptions): readonly ImageSource[] {
  const { env, platform, execPath, findProgram = installedPrograms({ env, platform }) } = options;
  return [
    postgresImage({ env, platform, fallback: options.postgresFallback }),
    nodeImage(options),
    pythonImage({ env, platform, isForAll: options.isForAll }),
    shellImage('busybox', ['sh']),
    shellImage('alpine', ['sh']),
    shellImage('debian', [usualShell()]),
    shellImage('ubuntu', [usualShell()]),
    nginxImage({ execPath, findProgram }),
    redisImage({ execPath, findProgram }),
    standInImage('pause', options),
  ];
}
