import { spawnSync } from 'node:child_process';

/** Running processes whose command line names a folder: a PostgreSQL server names its data directory. */
export function processesIn(folder: string): readonly string[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(folder));
}
