import { existsSync } from 'node:fs';
import { type BuildOptions, type BuildResult, build, formatMessages, type Message } from 'esbuild';
import { CliError } from '../program/cli-error.ts';

/** The entry point to bundle and the output file. */
export interface BundleOptions {
  /** Folder that paths in messages are relative to. */
  readonly root: string;
  readonly entry: string;
  readonly outfile: string;
}

/** Returns the esbuild settings that bundle an operator into one file for Node, with a source map. */
export function bundleSettings({
  root,
  entry,
  outfile,
}: BundleOptions): BuildOptions & { readonly write: true; readonly metafile: true } {
  return {
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    charset: 'utf8',
    sourcemap: 'linked',
    sourcesContent: true,
    keepNames: true,
    legalComments: 'none',
    // CommonJS packages call `require`, which ES modules do not have.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'silent',
    write: true,
    metafile: true,
  };
}

/** Bundles an operator. @throws CliError KW7501 with the bundler's errors */
export async function bundleOperator(options: BundleOptions): Promise<BuildResult<{ metafile: true }>> {
  if (!existsSync(options.entry)) {
    throw new CliError('KW7501', {
      what: 'cannot bundle the operator',
      why: `${options.entry} does not exist`,
      remedy: 'create this file, and call runOperator in it',
    });
  }
  try {
    return await build(bundleSettings(options));
  } catch (error) {
    throw await bundleError(error);
  }
}

/** Converts the bundler's errors to a `CliError` that shows the affected lines of the user's code. */
export async function bundleError(error: unknown): Promise<unknown> {
  const { errors } = error as { readonly errors?: readonly Message[] };
  if (!errors || errors.length === 0) return error;
  const texts = await formatMessages([...errors], { kind: 'error', color: false });
  return new CliError('KW7501', {
    what: 'cannot bundle the operator',
    why: texts.join('').trim(),
    remedy: 'fix the errors above, then retry',
  });
}
