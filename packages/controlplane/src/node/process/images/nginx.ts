import { dirname } from 'node:path';
import type { ImageProgram, ImageSource, Launch, LaunchContext } from '../image-program.ts';
import type { FindProgram, InstalledProgram } from './find-program.ts';
import { nginxEntrypoint } from './nginx-entrypoint.ts';
import { standInImage } from './stand-in.ts';
import { versionNote } from './version-note.ts';

/**
 * Returns the image `nginx`: the machine's nginx with a small built-in configuration, or else a stand-in. It serves
 * `/usr/share/nginx/html` on the pod's address; files under `/etc/nginx` are not read.
 */
export function nginxImage(options: { readonly execPath: string; readonly findProgram: FindProgram }): ImageSource {
  return {
    repository: 'nginx',
    async find(tag: string): Promise<ImageProgram> {
      const found = await options.findProgram('nginx');
      if (found === undefined) return standInImage('nginx', options).find(tag);
      const differs = versionNote('nginx', { version: found.version, tag });
      return {
        description: `nginx ${found.version} at ${found.path}`,
        ...(differs !== undefined && { standIn: `nginx: ${differs}` }),
        stopSignal: 'SIGQUIT',
        programFolders: [found.path],
        launch: (context) => launch(context, found),
      };
    },
  };
}

function launch(context: LaunchContext, { path: installed, version }: InstalledProgram): Launch {
  const program = context.reachable(installed);
  const path = [dirname(program)];
  if (context.command !== undefined) {
    const [file = 'nginx', ...args] = [...context.command, ...(context.args ?? [])];
    return { file, args, env: { NGINX_VERSION: version }, path };
  }
  const env = {
    NGINX_VERSION: version,
    KUBEWRIGHT_LISTEN: context.podIP,
    KUBEWRIGHT_HTML: context.programPath('/usr/share/nginx/html'),
    KUBEWRIGHT_RUN: context.socketFolder,
    KUBEWRIGHT_TEMPORARY: `${context.root}/var/cache/nginx`,
  };
  const args = ['-c', nginxEntrypoint, 'docker-entrypoint.sh', ...(context.args ?? ['nginx', '-g', 'daemon off;'])];
  return { file: '/bin/sh', args, env, path };
}
