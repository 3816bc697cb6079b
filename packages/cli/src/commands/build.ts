import type { Command } from 'commander';
import type { BuildOptions } from '../build/build-project.ts';
import type { Context } from '../program/context.ts';
import { imageReference, imageToLoad } from './options/image.ts';

/** Adds `build`, which writes everything that a project ships. */
export function addBuild(program: Command, context: Context): void {
  program
    .command('build')
    .description('build dist/: the operator as one file with a source map and an SBOM, a Dockerfile and install.yaml')
    .option('--image <IMAGE>', 'operator image in install.yaml, the chart and the bundle', imageReference)
    .option('--helm', 'also build a Helm chart: dist/chart')
    .option('--olm', 'also build an OLM bundle: dist/bundle')
    .option(
      '--release',
      'record the CRDs as released with the version in package.json: later types are compared with them',
    )
    .option('--allow-breaking', 'build even if the CRDs break the released version')
    .option(
      '--load <IMAGE>',
      'make the operator available as this image in the embedded cluster of this folder',
      imageToLoad,
    )
    .action(async (options: BuildOptions) => {
      await (await import('../build/build-project.ts')).buildProject(context, options);
    });
}
