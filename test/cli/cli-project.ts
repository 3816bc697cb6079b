import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../main-job/repository.ts';
import type { CommandLine } from './command-line.ts';

/** A project on disk, with a way to run commands in it. */
export interface CliProject {
  readonly root: string;
  run(...args: readonly string[]): ReturnType<CommandLine['run']>;
  read(path: string): string;
  edit(path: string, change: (text: string) => string): void;
}

/** Creates a project with links to the workspace's packages, in the state that it has after `npm install`. */
export async function cliProject(
  kubewright: CommandLine,
  name: string,
  ...flags: readonly string[]
): Promise<CliProject> {
  const { code, stderr } = await kubewright.run(['init', name, '--domain', 'example.com', ...flags]);
  if (code !== 0) throw new Error(stderr);
  const root = join(kubewright.folder, name);
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  return {
    root,
    run: (...args) => kubewright.run(args, { cwd: root }),
    read,
    edit: (path, change) => writeFileSync(join(root, path), change(read(path))),
  };
}
