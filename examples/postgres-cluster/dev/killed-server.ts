import { readFileSync } from 'node:fs';

/** Kills the server that runs on this machine with the given data directory. */
export function killServer(dataDirectory: string): void {
  const [pid] = readFileSync(`${dataDirectory}/postmaster.pid`, 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}
