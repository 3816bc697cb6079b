import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ProgramContext } from '../instance/server/run-program.ts';

/** A running program of PostgreSQL. */
export interface StartedProgram {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: Readable;
  /** Resolves when the program exits with code 0; otherwise rejects with the end of its error output. */
  readonly succeeded: Promise<void>;
  /** Sends a signal to the program. */
  kill(signal: NodeJS.Signals): void;
}

/** Maximum length of the kept error output, in characters. */
const keptLength = 4000;

/** Starts a PostgreSQL program. Aborting `signal` kills it. */
export function startProgram(
  name: string,
  {
    args,
    context,
    signal,
  }: { readonly args: readonly string[]; readonly context: ProgramContext; readonly signal: AbortSignal },
): StartedProgram {
  const file = context.folder === undefined ? name : `${context.folder}/${name}`;
  // Error messages go into statuses, so they must be in English.
  const env = { ...context.env, LC_ALL: 'C' };
  const child = spawn(file, args, { env, ...context.user, cwd: '/', signal, killSignal: 'SIGKILL' });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptLength);
  });
  // Writing fails if the program has already exited; `succeeded` reports that.
  child.stdin.on('error', () => undefined);
  const succeeded = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`cannot run ${name}: ${cause.message}`, { cause })));
    child.once('close', (code, killedBy) => {
      if (code === 0) return resolve();
      const ending = code === null ? `was killed by ${killedBy}` : `failed with exit code ${code}`;
      reject(new Error(`${name} ${ending}: ${errors.trim()}`));
    });
  });
  // Avoids an unhandled rejection until the caller awaits the promise.
  succeeded.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, succeeded, kill: (signal) => void child.kill(signal) };
}

/** Runs a PostgreSQL program to completion, and returns its output. */
export async function runProgram(name: string, options: Parameters<typeof startProgram>[1]): Promise<string> {
  const { stdin, stdout, succeeded } = startProgram(name, options);
  stdin.end();
  let output = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await succeeded;
  return output;
}
