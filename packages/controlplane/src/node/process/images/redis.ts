import { dirname, sep } from 'node:path';
import type { ImageProgram, ImageSource, Launch, LaunchContext } from '../image-program.ts';
import type { FindProgram, InstalledProgram } from './find-program.ts';
import { standInImage } from './stand-in.ts';
import { versionNote } from './version-note.ts';

/**
 * Returns the image `redis`: the machine's redis-server, or else a stand-in. The server listens on the pod's address and saves no
 * snapshots unless the pod's arguments request it. Its working folder is the volume mounted at `/data`, if any.
 */
export function redisImage(options: { readonly execPath: string; readonly findProgram: FindProgram }): ImageSource {
  return {
    repository: 'redis',
    async find(tag: string): Promise<ImageProgram> {
      const found = await options.findProgram('redis-server');
      if (found === undefined) return standInImage('redis', options).find(tag);
      const differs = versionNote('Redis', { version: found.version, tag });
      return {
        description: `Redis ${found.version} at ${found.path}`,
        ...(differs !== undefined && { standIn: `redis: ${differs}` }),
        programFolders: [found.path],
        launch: (context) => launch(context, found),
      };
    },
  };
}

function launch(context: LaunchContext, { path: installed, version }: InstalledProgram): Launch {
  const program = context.reachable(installed);
  const rest = { env: { REDIS_VERSION: version }, path: [dirname(program)] };
  if (context.command !== undefined) {
    const [file = 'redis-server', ...args] = [...context.command, ...(context.args ?? [])];
    return { file, args, ...rest };
  }
  const [first = 'redis-server', ...others] = context.args ?? [];
  // The image's entry point passes options and configuration files to the server.
  const isServer = first === 'redis-server';
  if (!isServer && !first.startsWith('-') && !first.endsWith('.conf')) return { file: first, args: others, ...rest };
  const given = isServer ? others : [first, ...others];
  const hasFile = given[0] !== undefined && !given[0].startsWith('-');
  const [file, options] = hasFile ? [given.slice(0, 1), given.slice(1)] : [[], given];
  return { file: program, args: [...file, ...ownOptions(context), ...options], ...rest };
}

/** Returns the default options. Later options win, so the pod's own options come after these. */
function ownOptions({ podIP, root, programPath }: LaunchContext): readonly string[] {
  const data = programPath('/data');
  const folder = data.startsWith(root + sep) ? root : data;
  // As in the image: any client that reaches the pod's address may connect.
  return ['--bind', podIP, '--port', '6379', '--dir', folder, '--save', '', '--protected-mode', 'no'];
}
