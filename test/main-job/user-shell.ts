import { spawnSync } from 'node:child_process';

/** The result of a command line. */
export interface ShellResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns a function that runs command lines like a user's second terminal. */
export function userShell(cwd: string): (line: string) => ShellResult {
  const { KUBECONFIG: _other, ...env } = process.env;
  return (line) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8', timeout: 30_000 });
    return { status, stdout, stderr };
  };
}

const mustHaveAll = process.env['KUBEWRIGHT_REQUIRE_ALL'] === '1';

/** Reports whether to skip tests that need a program. With `KUBEWRIGHT_REQUIRE_ALL=1`, they run and fail instead. */
export function isMissing(program: string): boolean {
  const found = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  return !found && !mustHaveAll;
}
