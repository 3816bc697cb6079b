import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Flags with which the compiler reports each mistake on a separate line, and writes nothing. */
export const compilerFlags: readonly string[] = ['--noEmit', '--pretty', 'false'];

/** Returns the path of a project's own compiler; undefined if the project has no compiler or no `tsconfig.json`. */
export function compilerOf(root: string): string | undefined {
  if (!existsSync(join(root, 'tsconfig.json'))) return undefined;
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
    const compiler = join(dirname(manifest), 'bin', 'tsc');
    return existsSync(compiler) ? compiler : undefined;
  } catch {
    // The compiler is not installed; the editor still checks types.
    return undefined;
  }
}
