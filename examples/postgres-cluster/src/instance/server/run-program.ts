import { spawn } from 'node:child_process';

/** Options for running PostgreSQL's programs. */
export interface ProgramContext {
  /** Folder of the programs. @defaultValue the PATH */
  readonly folder?: string | undefined;
  /** User to run the programs as. PostgreSQL refuses to run as root. @defaultValue the user of this process */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** Thrown if a PostgreSQL program fails. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  /** The program's error output. */
  readonly output: string;

  constructor(program: string, { output, ending }: { readonly output: string; readonly ending: string }) {
    super(`${program} ${ending}: ${output.trim().split('\n').slice(-3).join('; ')}`);
    this.output = output;
  }
}

/** Maximum length of the kept output, in characters. */
const keptLength = 64 * 1024;
/**
 * Time for which pg_ctl and pg_upgrade wait for a server to start or stop, in seconds. The default, 60 s, is too short
 * for the recovery or the last checkpoint of a large database.
 */
const pgCtlSeconds = String(7 * 24 * 60 * 60);
/** Runs a command in a user namespace, in which its user has a name. */
const asKnownUser = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'];

/**
 * Runs a PostgreSQL program to completion. Some programs look up the name of their user, and fail in a container with an
 * arbitrary user ID: they are rerun in a user namespace.
 *
 * @throws ProgramError if the program fails, or is killed because `signal` was aborted
 */
export async function runProgram(
  program: string,
  options: {
    readonly args: readonly string[];
    readonly context: ProgramContext;
    readonly signal: AbortSignal;
    /** Working directory. @defaultValue `/` */
    readonly cwd?: string;
  },
): Promise<ProgramOutput> {
  const { args, ...rest } = options;
  const command = [programPath(program, rest.context), ...args];
  try {
    return await run(command, { program, ...rest });
  } catch (error) {
    const isUnknownUser = error instanceof ProgramError && /could not look up effective user ID/.test(error.output);
    if (!isUnknownUser) throw error;
    return run([...asKnownUser, ...command], { program, ...rest });
  }
}

/** Returns the path of a program, or just its name to find it on the PATH. */
export function programPath(program: string, { folder }: ProgramContext): string {
  return folder === undefined ? program : `${folder}/${program}`;
}

function run(
  [file = '', ...args]: readonly string[],
  {
    program,
    context,
    signal,
    cwd = '/',
  }: {
    readonly program: string;
    readonly context: ProgramContext;
    readonly signal: AbortSignal;
    readonly cwd?: string;
  },
): Promise<ProgramOutput> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Messages are parsed, so they must be in English.
    const env = { ...context.env, LC_ALL: 'C', LC_MESSAGES: 'C', PGCTLTIMEOUT: pgCtlSeconds };
    const child = spawn(file, args, { env, ...context.user, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const stop = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(-keptLength);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-keptLength);
    });
    child.once('error', (error) => {
      signal.removeEventListener('abort', stop);
      reject(new ProgramError(program, { output: error.message, ending: 'could not be started' }));
    });
    child.once('close', (code, killed) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve({ stdout, stderr });
      else {
        const ending = code === null ? `was killed by ${killed}` : `failed with exit code ${code}`;
        // pg_upgrade writes failures to standard output.
        reject(new ProgramError(program, { output: stderr.trim() === '' ? stdout : stderr, ending }));
      }
    });
  });
}
