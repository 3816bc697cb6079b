import { mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { StateFolder } from '../cluster/state-folder.ts';
import type { Context } from '../program/context.ts';
import { OperatorOutput } from '../story/operator-output.ts';
import { bundleOperator } from './bundle-operator.ts';

/** What is run, and how. */
export interface RunFileOptions {
  readonly file: string;
  readonly args: readonly string[];
  /** Shows all frames of stacks. @defaultValue false */
  readonly fullStacks?: boolean | undefined;
}

/** Runs one file as an operator until it ends or Ctrl-C; answers its exit code. */
export async function runFile(
  { surroundings }: Context,
  { file, args, fullStacks = false }: RunFileOptions,
): Promise<number> {
  const { cwd, env, program, signal, stderr, colors, interactive } = surroundings;
  const folder = new StateFolder(cwd);
  const target = join(folder.path, 'run');
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const outfile = join(target, `${basename(file).replace(/\.[^.]*$/, '')}.mjs`);
  await bundleOperator({ root: cwd, entry: resolve(cwd, file), outfile });
  const own = env['KUBECONFIG'] ? undefined : folder.running?.kubeconfig;
  const output = new OperatorOutput({
    root: folder.base,
    full: fullStacks,
    colors,
    raw: !interactive,
    write: (text) => void stderr.write(text),
  });
  const child = surroundings.spawn([program[0] ?? 'node', '--enable-source-maps', outfile, ...args], {
    cwd,
    env: { ...env, ...(own !== undefined && { KUBECONFIG: own }) },
    onErrorOutput: (text) => output.take(text),
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const exitCode = await child.ended;
  output.end();
  return exitCode;
}
