import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CliEnvironment } from '../program/cli-environment.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';

/** Runs a project's tests once. Returns 0 if they pass, 1 if tests fail, or the exit code of an interrupt. */
export async function runTests({ environment }: Context, args: readonly string[]): Promise<number> {
  const project = requireProject(environment.cwd);
  const command = testCommand(project, environment);
  const child = environment.spawn([...command, ...args], { cwd: project.root, env: environment.env });
  environment.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const exitCode = await child.ended;
  return environment.interruptedBy() || (exitCode === 0 ? 0 : 1);
}

/** Returns the command that runs a project's tests. @throws CliError KW7602 if vitest is not installed */
export function testCommand({ root }: Pick<Project, 'root'>, { program }: CliEnvironment): readonly string[] {
  const node = program[0] ?? 'node';
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('vitest/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin?: { readonly vitest?: string } };
    const runner = join(dirname(manifest), bin?.vitest ?? 'vitest.mjs');
    if (existsSync(runner)) return [node, runner, 'run'];
  } catch {
    // Not installed.
  }
  throw new CliError('KW7602', {
    what: 'cannot run the tests',
    why: `vitest is not installed in ${root}`,
    remedy: 'install it: npm install --save-dev vitest',
  });
}
