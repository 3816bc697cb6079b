import type { Command } from 'commander';
import type { GenerateOptions } from '../generate/generate-project.ts';
import type { Context } from '../program/context.ts';

/** Adds `generate`, which writes the manifests of a project. */
export function addGenerate(program: Command, context: Context): void {
  program
    .command('generate')
    .description('write the manifests in config/ from the types in src/')
    .option('--check', 'write nothing; fail if the manifests are out of date or the types have errors')
    .option('--allow-breaking', 'write CRDs even if they break the released version')
    .option('--no-type-check', 'do not check types')
    .action(async (options: GenerateOptions) => {
      await (await import('../generate/generate-project.ts')).generate(context, options);
    });
}
