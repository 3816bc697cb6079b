import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ImageProgram, ImageSource, Launch, LaunchContext } from '../image-program.ts';
import { findPostgres, type PostgresFolder } from './find-postgres.ts';
import { postgresEntrypoint } from './postgres-entrypoint.ts';
import { versionNote } from './version-note.ts';

/**
 * Returns the image `postgres`: the machine's PostgreSQL server programs behind an imitation of the official image's entry point
 * (its documented environment: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, POSTGRES_INITDB_ARGS, POSTGRES_HOST_AUTH_METHOD,
 * PGDATA, and `/docker-entrypoint-initdb.d`).
 */
export function postgresImage(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Returns a folder of server programs to use if the machine has none. */
  readonly fallback?: (() => Promise<string | undefined>) | undefined;
}): ImageSource {
  const brought = async (): Promise<PostgresFolder | undefined> => {
    const folder = await options.fallback?.();
    return folder === undefined ? undefined : { folder, version: await versionOf(folder) };
  };
  return {
    repository: 'postgres',
    async find(tag: string): Promise<ImageProgram> {
      const found = (await findPostgres({ ...options, major: /^\d+/.exec(tag)?.[0], versionOf })) ?? (await brought());
      if (found === undefined) {
        throw new Error(
          'PostgreSQL server programs not found (searched PG_BIN, PATH and the usual installation folders); install PostgreSQL, or set PG_BIN to the folder that contains initdb and postgres',
        );
      }
      const { folder, version } = found;
      const differs = versionNote('PostgreSQL', { version, tag });
      return {
        description: `PostgreSQL ${version} from ${folder}`,
        ...(differs !== undefined && { standIn: `postgres: ${differs}` }),
        stopSignal: 'SIGINT',
        needsKnownUser: true,
        // The libraries and templates are next to the programs' folder.
        programFolders: [dirname(folder)],
        launch: (context) => launch(context, folder, version),
      };
    },
  };
}

async function versionOf(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(join(folder, 'postgres'), ['--version']);
  return /(\d+(?:\.\d+)*)/.exec(stdout)?.[1] ?? '';
}

const knownUser = { program: 'initdb', variable: 'KUBEWRIGHT_AS_KNOWN_USER' } as const;

function launch(context: LaunchContext, installed: string, version: string): Launch {
  const folder = context.reachable(installed);
  const data = context.env.get('PGDATA') ?? '/var/lib/postgresql/data';
  const env = {
    PG_MAJOR: version.split('.')[0] ?? '',
    PG_VERSION: version,
    PGDATA: context.programPath(data),
    // Lets clients in the container find the server without options. In the image, the server is at the clients' default address.
    PGHOST: context.env.get('PGHOST') ?? context.socketFolder,
    PGPORT: context.env.get('PGPORT') ?? '5432',
    KUBEWRIGHT_LISTEN: context.podIP,
    KUBEWRIGHT_SOCKETS: context.socketFolder,
    KUBEWRIGHT_INITDB_SCRIPTS: context.programPath('/docker-entrypoint-initdb.d'),
  };
  if (context.command !== undefined) {
    const [file = 'postgres', ...args] = [...context.command, ...(context.args ?? [])];
    return { file, args, env, path: [folder] };
  }
  const words = context.args ?? ['postgres'];
  const isServer = words[0] === 'postgres' || words[0]?.startsWith('-');
  const isNew = !existsSync(join(context.hostPath(data), 'PG_VERSION'));
  const args = ['-c', postgresEntrypoint, 'docker-entrypoint.sh', ...words];
  return { file: '/bin/sh', args, env, path: [folder], ...(isServer && isNew && { knownUser }) };
}
