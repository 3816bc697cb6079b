import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const example = 'examples/postgres-cluster';
const kinds = ['clusters', 'backups', 'backupschedules', 'databases', 'roles'];

/** The operator, the instances and the CRDs of an earlier commit of this repository, in a temporary folder. */
export interface EarlierRelease extends Disposable {
  readonly operator: string;
  /** An image file with the instances of the earlier commit as `earlier-instance`, and the current ones as `postgres-instance`. */
  readonly imageFile: string;
  readonly crds: readonly string[];
}

/** Returns true if this clone of the repository contains the commit. */
export function hasCommit(commit: string): boolean {
  return git(['cat-file', '-e', `${commit}^{commit}`]).status === 0;
}

/**
 * Builds the programs of an earlier commit from its own sources. Packages from the registry have their current versions. The
 * current instance manager must have been built.
 */
export async function earlierRelease(commit: string): Promise<EarlierRelease> {
  const folder = mkdtempSync(join(tmpdir(), 'earlier-release-'));
  // Instances run as another user, who needs read access.
  chmodSync(folder, 0o755);
  const archive = git(['archive', commit, 'packages', example]);
  const extracted = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  if (archive.status !== 0 || extracted.status !== 0) throw new Error(`cannot extract ${commit}: ${archive.stderr}`);
  linkModules(folder);
  const programs = { operator: 'src/main.ts', instance: 'src/instance/main.ts' };
  await build({
    absWorkingDir: join(folder, example),
    entryPoints: programs,
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['kubewright-source'],
    // CommonJS packages in the bundle need `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    external: ['pg-native'],
    logLevel: 'error',
  });
  const bases = join(folder, example, 'config/crd/bases');
  const dist = join(folder, example, 'dist');
  const imageFile = join(folder, 'images.json');
  cpSync(join(repository, example, 'dist/instance'), join(folder, 'current'), { recursive: true });
  const images = {
    'earlier-instance:15': instanceIn(dist, 'instance.mjs'),
    'postgres-instance:15': instanceIn(join(folder, 'current'), 'main.mjs'),
  };
  writeFileSync(imageFile, JSON.stringify(images));
  return {
    operator: join(dist, 'operator.mjs'),
    imageFile,
    crds: kinds.map((kind) => join(bases, `database.db.example.com_postgres${kind}.yaml`)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function instanceIn(folder: string, program: string): object {
  return { like: 'postgres:15', folder, command: ['node', join(folder, program)] };
}

/** Links the installed packages, and for the packages of this repository, the sources of the earlier commit. */
function linkModules(folder: string): void {
  const [installed, linked] = [join(repository, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(linked, '@kubewright'), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name !== '@kubewright') symlinkSync(join(installed, name), join(linked, name));
  }
  for (const entry of readdirSync(join(folder, 'packages'))) {
    const path = join(folder, 'packages', entry);
    const { name } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { readonly name: string };
    if (name.startsWith('@kubewright/')) symlinkSync(path, join(linked, name));
  }
}

function git(args: readonly string[]): ReturnType<typeof spawnSync> {
  return spawnSync('git', ['-C', repository, ...args], { maxBuffer: 2 ** 30 });
}
