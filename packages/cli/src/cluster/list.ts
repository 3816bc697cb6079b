import type { Context } from '../program/context.ts';
import { StateFolder } from './state-folder.ts';

/** Prints the clusters of this folder, running or not. */
export function list({ environment, reporter }: Context): void {
  const clusters = StateFolder.all(environment.cwd).map((folder) => {
    const { pid, url } = folder.running ?? {};
    return { name: folder.name ?? null, running: folder.pid !== undefined, url: url ?? null, pid: pid ?? null };
  });
  const rows = clusters.map(({ name, running, url }) => [
    name ?? '(unnamed)',
    running ? 'running' : 'stopped',
    url ?? '',
  ]);
  const width = Math.max(...['NAME', ...rows.map(([name = '']) => name)].map(({ length }) => length));
  const lines = [['NAME', 'STATUS', 'URL'], ...rows].map(([name = '', status = '', url = '']) =>
    `${name.padEnd(width)}  ${status.padEnd(7)}  ${url}`.trimEnd().concat('\n'),
  );
  reporter.result({ clusters }, clusters.length === 0 ? 'this folder has no clusters\n' : lines.join(''));
}
