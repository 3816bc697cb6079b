import type { Command } from 'commander';
import type { BuildOptions } from '../build/build-project.ts';
import { CliError } from '../program/cli-error.ts';
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
      'record the CRDs as released with the version in package.json: later changes of the types are checked against them',
    )
    .option('--allow-breaking', 'build even if the CRDs break the released version')
    .option('--no-type-check', 'do not check types')
    .option(
      '--load <IMAGE>',
      'make the operator available as this image in the embedded cluster of this folder',
      imageToLoad,
    )
    .option('--push <IMAGE>', 'build the operator image without a container runtime and push it', imageToLoad)
    .option(
      '--base <IMAGE>',
      'with --push: base image, which must contain Node.js (default: the base image of the Dockerfile)',
      imageReference,
    )
    .option(
      '--ca-file <FILE>',
      'with --push: PEM file of certificate authorities to trust, in addition to those of this machine',
    )
    .option('--plain-http', 'with --push: use HTTP instead of HTTPS; registries on this machine do not need this flag')
    .action(async (options: BuildOptions) => {
      checkFlags(options);
      await (await import('../build/build-project.ts')).buildProject(context, options);
    });
}

/** @throws CliError KW7001 for flags that apply only to `--push` */
function checkFlags({ push, base, caFile, plainHttp }: BuildOptions): void {
  const given = Object.entries({ '--base': base, '--ca-file': caFile, '--plain-http': plainHttp });
  const [unused] = given.find(([, value]) => value !== undefined) ?? [];
  if (push !== undefined || unused === undefined) return;
  throw new CliError('KW7001', {
    what: `cannot use ${unused}`,
    why: `${unused} has no effect without --push`,
    remedy: `add --push IMAGE, or remove ${unused}`,
  });
}
