import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/**
 * Checks out the committed state into a separate folder, so that uncommitted work is not proven and recorders can write
 * files. Shares the installed packages, except this repository's own.
 */
export function checkOut(root) {
  const home = mkdtempSync(join(tmpdir(), 'kw-proof-'));
  const folder = join(home, 'checkout');
  git(root, 'worktree', 'add', '--detach', folder, 'HEAD');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name.startsWith('.') && name !== '.bin') continue;
    share(join('node_modules', name), { root, folder });
  }
  return {
    folder,
    commit: git(folder, 'rev-parse', '--short=12', 'HEAD').trim(),
    [Symbol.dispose]() {
      git(root, 'worktree', 'remove', '--force', folder);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Links a package of the repository. A relative link is recreated, so it leads to the package in the checkout. */
function share(path, { root, folder }) {
  const [from, to] = [join(root, path), join(folder, path)];
  if (lstatSync(from).isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
  } else if (basename(path).startsWith('@')) {
    mkdirSync(to);
    for (const name of readdirSync(from)) share(join(path, name), { root, folder });
  } else {
    symlinkSync(from, to);
  }
}

function git(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
