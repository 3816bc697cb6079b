import { type ProgramContext, runProgram } from './run-program.ts';

/** Returns the major version of the programs of PostgreSQL. */
export async function programMajor(context: ProgramContext, signal: AbortSignal): Promise<number> {
  const { stdout } = await runProgram('postgres', { args: ['--version'], context, signal });
  const [, major] = /\s(\d+)/.exec(stdout) ?? [];
  if (major === undefined) throw new Error(`cannot read the version of PostgreSQL: ${stdout.trim()}`);
  return Number(major);
}
