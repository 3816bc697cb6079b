import { type Command, InvalidArgumentError } from 'commander';
import type { BuildOptions } from '../bundle/build-project.ts';
import type { DevOptions } from '../dev/dev.ts';
import { isHost } from '../dev/webhooks/webhook-address.ts';
import type { Context } from '../program/context.ts';
import { driverOption, nodeCount, portNumber } from './cluster.ts';
import { imageReference, imageToLoad } from './image-option.ts';

/** Adds `dev`, `run` and `build`, the commands that bundle the user's code. */
export function addBuild(program: Command, context: Context): void {
  program
    .command('dev')
    .description('run the operator in an embedded cluster under its own account; restart it on save')
    .option('--ci', 'apply the samples, wait until they are ready, end')
    .option('--port <PORT>', 'port of the API server', portNumber)
    .option('--nodes <N>', 'nodes of the cluster', nodeCount)
    .addOption(driverOption())
    .option('--context <NAME>', 'develop in the cluster of this context of your kubeconfig')
    .option('--allow-context <NAME>', 'allow a context whose cluster is not on this machine')
    .option('--webhook-host <ADDR>', 'with --context: where its API server reaches this machine', hostName)
    .option('--no-webhooks', 'with --context: leave webhooks out')
    .option('--full-stacks', 'show all frames of stacks')
    .option('--no-type-check', 'do not check types beside')
    .action(async (options: DevOptions) => (await import('../dev/dev.ts')).dev(context, options));
  program
    .command('run')
    .description('run one TypeScript file as an operator, in the cluster of this folder or that of KUBECONFIG')
    .argument('<FILE>', 'a program that calls runOperator')
    .argument('[ARGS...]', 'its arguments, behind --')
    .option('--full-stacks', 'show all frames of stacks')
    .action(async (file: string, args: readonly string[], { fullStacks }: { readonly fullStacks?: boolean }) => {
      context.exitWith(await (await import('../bundle/run-file.ts')).runFile(context, { file, args, fullStacks }));
    });
  program
    .command('build')
    .description('write dist/: the operator as one file with its source map and SBOM, a Dockerfile, install.yaml')
    .option('--image <IMAGE>', 'image of the operator in install.yaml, chart and bundle', imageReference)
    .option('--helm', 'also a Helm chart: dist/chart')
    .option('--olm', 'also an OLM bundle: dist/bundle')
    .option('--release', 'keep the CRDs as those of the version in package.json: later types are compared with them')
    .option('--allow-breaking', 'build though CRDs break what was released')
    .option('--load <IMAGE>', 'let the embedded cluster of this folder run the operator as this image', imageToLoad)
    .action(async (options: BuildOptions) =>
      (await import('../bundle/build-project.ts')).buildProject(context, options),
    );
}

function hostName(text: string): string {
  if (isHost(text)) return text;
  throw new InvalidArgumentError('It is an address or a name, without a port.');
}
