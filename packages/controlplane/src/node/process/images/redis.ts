import { dirname, sep } from 'node:path';
import type { ImageProgram, ImageSource, Launch, LaunchContext } from '../image-program.ts';
import type { FindProgram, InstalledProgram } from './find-program.ts';
import { standInImage } from './stand-in.ts';
import { versionNote } from './version-note.ts';

/**
 * `redis`: the redis-server of this machine, on the pod's address and without snapshots unless the pod's arguments ask
 * for them; else a stand-in. Works in what is mounted at `/data`.
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
  // The image's entry point takes options and configuration files for the server's.
  const isServer = first === 'redis-server';
  if (!isServer && !first.startsWith('-') && !first.endsWith('.conf')) return { file: first, args: others, ...rest };
  const given = isServer ? others : [first, ...others];
  const hasFile = given[0] !== undefined && !given[0].startsWith('-');
  const [file, options] = hasFile ? [given.slice(0, 1), given.slice(1)] : [[], given];
  return { file: program, args: [...file, ...ownOptions(context), ...options], ...rest };
}

/** Later options win, so the pod's own come after these. */
function ownOptions({ podIP, root, hostPath }: LaunchContext): readonly string[] {
  const data = hostPath('/data');
  const folder = data.startsWith(root + sep) ? root : data;
  // As in the image: who reaches the pod's address may speak to it.
  return ['--bind', podIP, '--port', '6379', '--dir', folder, '--save', '', '--protected-mode', 'no'];
}
