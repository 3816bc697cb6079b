import { spawn } from 'node:child_process';

/** How programs of PostgreSQL are started. */
export interface ProgramContext {
  /** Folder of the programs. Found on the PATH if missing. */
  readonly folder?: string | undefined;
  /** User of the programs, if it is not this process's. PostgreSQL refuses to run as root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** Thrown if a program of PostgreSQL fails. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  /** The program's error output. */
  readonly output: string;

  constructor(program: string, { output, ending }: { readonly output: string; readonly ending: string }) {
    super(`${program} ${ending}: ${output.trim().split('\n').slice(-3).join('; ')}`);
    this.output = output;
  }
}

/** Output that is kept of a program, in characters. */
const keptLength = 64 * 1024;
/** Runs a command in a user namespace in which its user is known. */
const asKnownUser = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'];

/**
 * Runs a program of PostgreSQL to its end. Some look up the name of their user, and fail without one, as in containers with an
 * arbitrary uid: they are run again in a user namespace.
 *
 * @throws ProgramError if it fails, or is ended because `signal` was aborted.
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

/** Returns the path of a program, or its name if it is found on the PATH. */
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
    const env = { ...context.env, LC_ALL: 'C', LC_MESSAGES: 'C' };
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
      reject(new ProgramError(program, { output: error.message, ending: 'cannot be started' }));
    });
    child.once('close', (code, killed) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve({ stdout, stderr });
      else {
        const ending = code === null ? `was ended by ${killed}` : `failed with exit code ${code}`;
        // pg_upgrade reports failures on its standard output.
        reject(new ProgramError(program, { output: stderr.trim() === '' ? stdout : stderr, ending }));
      }
    });
  });
}
