import type { Command } from 'commander';
import type { BuildOptions } from '../build/build-project.ts';
import type { Context } from '../program/context.ts';
import { imageReference, imageToLoad } from './options/image.ts';

/** Adds `build`, which writes everything that a project ships. */
export function addBuild(program: Command, context: Context): void {
  program
    .command('build')
    .description('write dist/: the operator as one file with its source map and SBOM, a Dockerfile, install.yaml')
    .option('--image <IMAGE>', 'image of the operator in install.yaml, chart and bundle', imageReference)
    .option('--helm', 'also a Helm chart: dist/chart')
    .option('--olm', 'also an OLM bundle: dist/bundle')
    .option('--release', 'keep the CRDs as those of the version in package.json: later types are compared with them')
    .option('--allow-breaking', 'build though CRDs break what was released')
    .option('--load <IMAGE>', 'let the embedded cluster of this folder run the operator as this image', imageToLoad)
    .action(async (options: BuildOptions) => {
      await (await import('../build/build-project.ts')).buildProject(context, options);
    });
}
