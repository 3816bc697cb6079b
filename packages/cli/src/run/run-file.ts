import { mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { defined } from '@kubewright/apimachinery/internal';
import { StateFolder } from '../cluster/state-folder.ts';
import { bundleOperator } from '../operator/bundle-operator.ts';
import { OperatorOutput } from '../operator-log/operator-output.ts';
import type { Context } from '../program/context.ts';
import { runWebhooks } from '../webhooks/run-webhooks.ts';

/** Flags of `run`. */
export interface RunOptions {
  /** Shows all stack frames. @defaultValue false */
  readonly fullStacks?: boolean | undefined;
}

export interface RunFileOptions extends RunOptions {
  readonly file: string;
  readonly args: readonly string[];
}

/** Runs a file as an operator until it exits or the user presses Ctrl-C. Returns the exit code. */
export async function runFile(context: Context, { file, args, fullStacks = false }: RunFileOptions): Promise<number> {
  const { environment } = context;
  const { cwd, env, program, signal, stderr, colors, interactive } = environment;
  const folder = new StateFolder(cwd);
  const target = join(folder.path, 'run');
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const outfile = join(target, `${basename(file).replace(/\.[^.]*$/, '')}.mjs`);
  const entry = resolve(cwd, file);
  await bundleOperator({ root: cwd, entry, outfile });
  const own = env['KUBECONFIG'] ? undefined : folder.running?.kubeconfig;
  await using webhooks =
    own === undefined ? undefined : await runWebhooks(context, { program: entry, kubeconfig: own });
  const output = new OperatorOutput({
    root: folder.base,
    full: fullStacks,
    colors,
    raw: !interactive,
    write: (text) => void stderr.write(text),
  });
  const command = [program[0] ?? 'node', '--enable-source-maps', outfile, ...(webhooks?.flags ?? []), ...args];
  const child = environment.spawn(command, {
    cwd,
    env: { ...env, ...defined({ KUBECONFIG: own }) },
    onErrorOutput: (text) => output.take(text),
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const exitCode = await child.ended;
  output.end();
  return exitCode;
}
