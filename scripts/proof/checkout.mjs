import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/**
 * What is committed, in a folder of its own: nothing that is being worked on is proven, and recorders may write there. What is
 * installed is shared, but for this repository's own packages.
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

/** A link into the repository is made anew, and leads into the checkout, for it is relative. */
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
