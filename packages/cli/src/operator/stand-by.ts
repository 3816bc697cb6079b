import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Child, Surroundings } from '../program/surroundings.ts';

/** Loads libraries, waits for the module to run and runs it in this process; exits with its parent process. */
const program = `// Written by kubewright dev: a process that has loaded what an operator needs before there is something to run.
const { stdin } = process;
const [, , ...libraries] = process.argv;
let isRunning = false;
stdin.on('end', () => (isRunning ? process.kill(process.pid, 'SIGTERM') : process.exit(0)));
await Promise.all(libraries.map((name) => import(name).catch(() => undefined)));
const { main, args, env } = await new Promise((resolve) => {
  let told = '';
  stdin.setEncoding('utf8').on('data', (text) => {
    told += text;
    if (told.endsWith('\\n')) resolve(JSON.parse(told));
  });
});
isRunning = true;
// It is watched, but keeps nothing alive.
stdin.unref();
Object.assign(process.env, env);
process.argv.splice(1, process.argv.length, main.path, ...args);
await import(main.url);
`;

/** The module that a standby process runs. */
export interface StandByRun {
  /** Path of a module. */
  readonly main: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A process on standby. */
export interface StandBy {
  readonly child: Child;
  /** Receives the process's output from now on. */
  onOutput: (text: string) => void;
  /** Runs the module in the process. */
  run(what: StandByRun): void;
}

/** Starts a process that preloads libraries and waits on standby; it exits with this one. */
export function standBy(
  surroundings: Surroundings,
  { folder, cwd, libraries }: { readonly folder: string; readonly cwd: string; readonly libraries: readonly string[] },
): StandBy {
  const script = join(folder, 'stand-by.mjs');
  writeFileSync(script, program);
  const command = [surroundings.program[0] ?? 'node', '--enable-source-maps', script, ...libraries];
  const made: { onOutput: (text: string) => void } = { onOutput: () => undefined };
  const child = surroundings.spawn(command, {
    cwd,
    env: surroundings.env,
    input: true,
    // Shielded from Ctrl-C: the cleanup needs it.
    shielded: true,
    onOutput: (text) => made.onOutput(text),
  });
  return Object.assign(made, {
    child,
    run({ main, args, env }: StandByRun): void {
      child.tell(`${JSON.stringify({ main: { path: main, url: pathToFileURL(main).href }, args, env })}\n`);
    },
  });
}
