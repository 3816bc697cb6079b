import { mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { StateFolder } from '../cluster/state-folder.ts';
import type { Context } from '../program/context.ts';
import { bundleOperator } from './bundle-operator.ts';

/** Runs one file as an operator until it ends or Ctrl-C; answers its exit code. */
export async function runFile(
  { surroundings }: Context,
  { file, args }: { readonly file: string; readonly args: readonly string[] },
): Promise<number> {
  const { cwd, env, program, signal } = surroundings;
  const folder = new StateFolder(cwd);
  const target = join(folder.path, 'run');
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const outfile = join(target, `${basename(file).replace(/\.[^.]*$/, '')}.mjs`);
  await bundleOperator({ root: cwd, entry: resolve(cwd, file), outfile });
  const own = env['KUBECONFIG'] ? undefined : folder.running?.kubeconfig;
  const child = surroundings.spawn([program[0] ?? 'node', '--enable-source-maps', outfile, ...args], {
    cwd,
    env: { ...env, ...(own !== undefined && { KUBECONFIG: own }) },
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  return child.ended;
}
