import { readFileSync } from 'node:fs';

/** Kills a server that runs as a process of this machine, by its data directory. */
export function killServer(dataDirectory: string): void {
  const [pid] = readFileSync(`${dataDirectory}/postmaster.pid`, 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}
