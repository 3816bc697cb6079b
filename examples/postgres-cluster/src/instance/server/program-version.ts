import { type ProgramContext, runProgram } from './run-program.ts';

/** Returns the major version of PostgreSQL's programs. */
export async function programMajor(context: ProgramContext, signal: AbortSignal): Promise<number> {
  const { stdout } = await runProgram('postgres', { args: ['--version'], context, signal });
  const [, major] = /\s(\d+)/.exec(stdout) ?? [];
  if (major === undefined) throw new Error(`cannot parse the output of postgres --version: ${stdout.trim()}`);
  return Number(major);
}
