import type { Command } from 'commander';
import type { BuildOptions } from '../bundle/build-project.ts';
import type { DevOptions } from '../dev/dev.ts';
import type { Context } from '../program/context.ts';
import { portNumber } from './cluster.ts';

/** `dev`, `run`, `build`: what is made of a user's code. */
export function addBuild(program: Command, context: Context): void {
  program
    .command('dev')
    .description('run the operator in an embedded cluster under its own account; restart it on save')
    .option('--ci', 'apply the samples, wait until they are ready, end')
    .option('--port <PORT>', 'port of the API server', portNumber)
    .action(async (options: DevOptions) => (await import('../dev/dev.ts')).dev(context, options));
  program
    .command('run')
    .description('run one TypeScript file as an operator, in the cluster of this folder or that of KUBECONFIG')
    .argument('<FILE>', 'a program that calls runOperator')
    .argument('[ARGS...]', 'its arguments, behind --')
    .action(async (file: string, args: readonly string[]) => {
      context.exitWith(await (await import('../bundle/run-file.ts')).runFile(context, { file, args }));
    });
  program
    .command('build')
    .description('write dist/: the operator as one file with its source map, a Dockerfile, install.yaml')
    .option('--image <IMAGE>', 'image of the operator in install.yaml')
    .option('--load <IMAGE>', 'let the embedded cluster of this folder run the operator as this image')
    .action(async (options: BuildOptions) =>
      (await import('../bundle/build-project.ts')).buildProject(context, options),
    );
}
