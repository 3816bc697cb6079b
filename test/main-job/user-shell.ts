import { spawnSync } from 'node:child_process';
import { hasProgram } from '../../examples/postgresql/dev/find-program.ts';

/** What a command line has done. */
export interface ShellResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs command lines as a user's second terminal does, after `export KUBECONFIG=…`. */
export function userShell(kubeconfig: string, cwd: string): (line: string) => ShellResult {
  return (line) => {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8', timeout: 30_000 });
    return { status, stdout, stderr };
  };
}

const surroundings = { path: process.env['PATH'], platform: process.platform };
export const hasKubectl: boolean = hasProgram('kubectl', surroundings);
export const hasPsql: boolean = hasProgram('psql', surroundings);
/** Where everything must be there, a missing program fails a test instead of skipping it. */
export const mustHaveAll: boolean = process.env['KUBEWRIGHT_REQUIRE_ALL'] === '1';
