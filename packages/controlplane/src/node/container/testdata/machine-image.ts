import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ImageConfig } from '../../../images/image-manifest.ts';
import { ImageStore } from '../../../images/image-store.ts';
import { tarOf, writeLayout } from '../../../images/testdata/image-archive.ts';

const programs = ['cat', 'chmod', 'env', 'hostname', 'id', 'ls', 'mkdir', 'mktemp', 'readlink', 'rm', 'sh', 'sleep', 'stat', 'tar', 'touch'];

/** An image store with an image of this machine's shell and core utilities: no network and no compiler is needed. */
export class MachineImage implements Disposable {
  /** Folder of the store. */
  readonly folder: string;
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
    this.folder = join(root, 'store');
  }

  /** Creates a store with the image `machine:1`. */
  static async create(config: ImageConfig['config'] = {}): Promise<MachineImage> {
    const image = new MachineImage(mkdtempSync(join(tmpdir(), 'kw-image-')));
    await image.add('machine:1', config);
    return image;
  }

  async add(name: string, config: ImageConfig['config'] = {}): Promise<void> {
    const layout = this.layout(name, config);
    await new ImageStore(this.folder).load(layout);
    rmSync(dirname(layout), { recursive: true });
  }

  /**
   * Writes an image as an OCI layout, without storing it.
   *
   * @param more - further programs: paths on this machine by paths in the image.
   */
  layout(name: string, config: ImageConfig['config'] = {}, more: Readonly<Record<string, string>> = {}): string {
    const work = mkdtempSync(join(this.#root, 'work-'));
    const files = join(work, 'files');
    fill(files, more);
    const layer = tarOf(files, join(work, 'layer.tar'), { options: ['--owner=0', '--group=0'] });
    const layout = join(work, 'layout');
    mkdirSync(layout);
    return writeLayout(layout, { name, layers: [layer], config });
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function fill(root: string, more: Readonly<Record<string, string>>): void {
  const copies = new Map<string, string>();
  const own = programs.map((name) => {
    const file = ['/bin', '/usr/bin'].map((folder) => join(folder, name)).find(existsSync);
    if (file === undefined) throw new Error(`this machine has no ${name}`);
    return [`/bin/${name}`, file] as const;
  });
  for (const [path, file] of [...own, ...Object.entries(more)]) {
    copies.set(path, file);
    const { stdout } = spawnSync('ldd', [file], { encoding: 'utf8' });
    for (const [, library = ''] of stdout.matchAll(/(?:^|=>)\s+(\/\S+) \(/gm)) copies.set(library, library);
  }
  for (const [to, from] of copies) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(realpathSync(from), join(root, to));
    chmodSync(join(root, to), 0o755);
  }
  for (const folder of ['etc', 'home/app', 'tmp', 'usr/bin', 'var']) mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  copyFileSync(realpathSync(copies.get('/bin/env') ?? ''), join(root, 'usr/bin/env'));
  chmodSync(join(root, 'usr/bin/env'), 0o755);
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\napp:x:1000:\nextra:x:1001:app\n');
}
