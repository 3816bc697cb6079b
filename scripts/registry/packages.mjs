// Packs the packages of the local registry, as npm does.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const most = { maxBuffer: 256 << 20 };

/** Packs the packages of this clone. Later builds do not change the result. */
export function workspacePackages() {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-registry-'));
  try {
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder, ...workspaces()], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      ...most,
    });
    return JSON.parse(packed).map(({ name, filename }) => {
      const bytes = readFileSync(join(folder, filename.replace('@', '').replace('/', '-')));
      const manifest = read(
        join(root, 'packages', name.replace('@kubewright/', '').replace(/^kubewright$/, 'cli'), 'package.json'),
      );
      return [name, [{ manifest, pack: () => bytes }]];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function workspaces() {
  const { packages } = read(join(root, 'package-lock.json'));
  return Object.keys(packages)
    .filter((path) => /^packages\/[^/]+$/.test(path))
    .flatMap((path) => ['-w', path]);
}

/** Returns the packages that `npm ci` has installed, by name. Packages for other platforms are not included. */
export function installedPackages() {
  const found = new Map();
  for (const path of Object.keys(read(join(root, 'package-lock.json')).packages)) {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    const folder = join(root, path);
    if (!name || !existsSync(join(folder, 'package.json'))) continue;
    const manifest = read(join(folder, 'package.json'));
    const versions = found.get(manifest.name) ?? [];
    // Nested packages come later in the lock file, and are older than the version at the top level.
    if (!versions.some((each) => each.manifest.version === manifest.version)) {
      found.set(manifest.name, [{ manifest, pack: () => packFolder(folder) }, ...versions]);
    }
  }
  return found;
}

function packFolder(folder) {
  const inside = ['--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder, '.'];
  return gzipSync(execFileSync('tar', ['-c', '-f', '-', ...inside], most), { level: 1 });
}
