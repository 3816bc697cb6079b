import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ProgramContext } from '../instance/server/run-program.ts';

/** A running program of PostgreSQL. */
export interface StartedProgram {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: Readable;
  /** Resolves when the program has succeeded; rejects with the end of its error output otherwise. */
  readonly succeeded: Promise<void>;
  /** Sends a signal to the program. */
  kill(signal: NodeJS.Signals): void;
}

/** Error output that is kept, in characters. */
const keptLength = 4000;

/** Starts a program of PostgreSQL. It is killed if `signal` is aborted. */
export function startProgram(
  name: string,
  {
    args,
    context,
    signal,
  }: { readonly args: readonly string[]; readonly context: ProgramContext; readonly signal: AbortSignal },
): StartedProgram {
  const file = context.folder === undefined ? name : `${context.folder}/${name}`;
  // Messages are reported, so they must be in English.
  const env = { ...context.env, LC_ALL: 'C' };
  const child = spawn(file, args, { env, ...context.user, cwd: '/', signal, killSignal: 'SIGKILL' });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptLength);
  });
  // A program that ends early does not read its input.
  child.stdin.on('error', () => undefined);
  const succeeded = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`cannot run ${name}: ${cause.message}`, { cause })));
    child.once('close', (code, killedBy) => {
      if (code === 0) return resolve();
      const ending = code === null ? `was ended by ${killedBy}` : `failed with exit code ${code}`;
      reject(new Error(`${name} ${ending}: ${errors.trim()}`));
    });
  });
  // Handled by the later await.
  succeeded.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, succeeded, kill: (signal) => void child.kill(signal) };
}

/** Runs a program of PostgreSQL to its end, and returns its output. */
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
