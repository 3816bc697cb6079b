import { spawnSync } from 'node:child_process';

/**
 * Returns a predicate for the lines of a folder's files that were added since `file` was last committed; undefined if
 * git is unavailable.
 */
export function addedSince(root, file, folder) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  const commit = git('log', '-1', '--format=%H', '--', file).stdout?.trim();
  if (!commit) return undefined;
  const { stdout } = git('diff', '--unified=0', '--no-color', '--no-prefix', commit, '--', folder);
  const added = new Set();
  let path = '';
  for (const line of stdout.split('\n')) {
    const [, next] = /^\+\+\+ (.+)$/.exec(line) ?? [];
    if (next) path = next;
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let i = 0; start && i < Number(count); i++) added.add(`${path}:${Number(start) + i}`);
  }
  return (finding) => added.has(`${finding.path}:${finding.line}`);
}
