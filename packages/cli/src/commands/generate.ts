import type { Command } from 'commander';
import type { GenerateOptions } from '../generate/generate-project.ts';
import type { Context } from '../program/context.ts';

/** Adds `generate`, which writes the manifests of a project. */
export function addGenerate(program: Command, context: Context): void {
  program
    .command('generate')
    .description('write the manifests in config/ from the types in src/')
    .option('--check', 'write nothing; fail if they are not current')
    .option('--allow-breaking', 'write CRDs that break what was released')
    .action(async (options: GenerateOptions) => {
      await (await import('../generate/generate-project.ts')).generate(context, options);
    });
}
