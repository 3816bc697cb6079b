import { cp, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { type ProgramContext, runProgram } from '../instance/server/run-program.ts';

/** File that records the path of the copied programs. */
const locationFile = 'bindir.txt';

/**
 * Copies PostgreSQL's programs, libraries and templates for use in a container with another version. The relative paths
 * are kept, because the programs use them to find each other.
 */
export async function exportPrograms(
  folder: string,
  { programs, signal }: { readonly programs: ProgramContext; readonly signal: AbortSignal },
): Promise<void> {
  const context = { ...programs, folder: await serverFolder(programs) };
  const args = ['--bindir', '--pkglibdir', '--sharedir'];
  const { stdout } = await runProgram('pg_config', { args, context, signal });
  const [binaries = '', ...others] = stdout.trim().split('\n');
  for (const path of [binaries, ...others]) {
    // Symbolic links are resolved, because the other image may lack their targets. Bitcode is skipped: only JIT compilation needs
    // it.
    const filter = (source: string): boolean => basename(source) !== 'bitcode';
    await cp(path, join(folder, path), { recursive: true, dereference: true, filter });
  }
  await writeFile(join(folder, locationFile), binaries);
}

/** Returns the folder of the programs that were copied to `folder`. */
export async function exportedPrograms(folder: string): Promise<string> {
  return join(folder, await readFile(join(folder, locationFile), 'utf8'));
}

/** Returns the folder that has all programs. The folder on the PATH may only have symbolic links to some of them. */
async function serverFolder({ folder, env }: ProgramContext): Promise<string> {
  if (folder !== undefined) return folder;
  for (const each of (env['PATH'] ?? '').split(delimiter)) {
    const program = join(each, 'postgres');
    const isFound = await stat(program).then(
      () => true,
      () => false, // not in this folder
    );
    if (isFound) return dirname(await realpath(program));
  }
  throw new Error('cannot find postgres on the PATH');
}
