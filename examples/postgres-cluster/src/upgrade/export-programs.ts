import { cp, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { type ProgramContext, runProgram } from '../instance/server/run-program.ts';

/** File with the path of the copied programs. */
const locationFile = 'bindir.txt';

/**
 * Copies the programs of PostgreSQL, with their libraries and templates, for a container with another version. They keep their places
 * relative to each other, by which they find each other.
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
    // Links lead to folders that the other image may not have. Bitcode only speeds up queries.
    const filter = (source: string): boolean => basename(source) !== 'bitcode';
    await cp(path, join(folder, path), { recursive: true, dereference: true, filter });
  }
  await writeFile(join(folder, locationFile), binaries);
}

/** Returns the folder of the programs that were copied to `folder`. */
export async function exportedPrograms(folder: string): Promise<string> {
  return join(folder, await readFile(join(folder, locationFile), 'utf8'));
}

/** Returns the folder with all programs. The one on the PATH may have links to some of them. */
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
