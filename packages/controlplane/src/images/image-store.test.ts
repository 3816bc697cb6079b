import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decompressed } from './decompress.ts';
import { completeName, ImageStore } from './image-store.ts';
import { tarOf, writeLayout } from './testdata/image-archive.ts';

describe('ImageStore', () => {
  let folder: string;
  let store: ImageStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-image-store-'));
    store = new ImageStore(join(folder, 'store'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Writes a layer with the given files. The value `null` creates a folder, `-> x` a link to x. */
  const layer = (name: string, files: Readonly<Record<string, string | null>>): string => {
    const source = join(folder, `${name}.d`);
    mkdirSync(source);
    for (const [path, content] of Object.entries(files)) {
      const file = join(source, path);
      mkdirSync(join(file, '..'), { recursive: true });
      if (content === null) mkdirSync(file);
      else if (content.startsWith('-> ')) symlinkSync(content.slice(3), file);
      else writeFileSync(file, content);
    }
    return tarOf(source, join(folder, `${name}.tar`));
  };
  const load = async (layers: readonly string[], name = 'app:1') => {
    const layout = join(folder, `layout-${layers.length}`);
    mkdirSync(layout);
    return store.load(writeLayout(layout, { name, layers }));
  };
  const root = async (image = 'app:1') => store.root(store.find(image)?.digest ?? '', { firstId: undefined });

  it('loads an OCI layout, from a folder and from an archive', async () => {
    const layout = join(folder, 'layout');
    mkdirSync(layout);
    writeLayout(layout, { name: 'docker.io/library/app:1', layers: [layer('a', { 'etc/hello': 'hi' })] });
    const expected = {
      name: 'docker.io/library/app:1',
      digest: expect.stringMatching(/^sha256:/),
      size: expect.any(Number),
    };
    expect(await store.load(layout)).toEqual([expect.objectContaining(expected)]);
    const other = new ImageStore(join(folder, 'other'));
    await other.load(tarOf(layout, join(folder, 'layout.tar')));
    expect(await other.list()).toEqual(await store.list());
    expect(readFileSync(join(await root(), 'etc/hello'), 'utf8')).toBe('hi');
  });

  it('loads an archive of docker save whose layers are links', async () => {
    const saved = join(folder, 'saved');
    mkdirSync(join(saved, 'one'), { recursive: true });
    const tar = readFileSync(layer('a', { file: 'content' }));
    writeFileSync(join(saved, 'one', 'layer.tar'), tar);
    symlinkSync('one/layer.tar', join(saved, 'two.tar'));
    const { createHash } = await import('node:crypto');
    const diffId = `sha256:${createHash('sha256').update(tar).digest('hex')}`;
    writeFileSync(
      join(saved, 'config.json'),
      JSON.stringify({ config: { Cmd: ['/x'] }, rootfs: { diff_ids: [diffId] } }),
    );
    writeFileSync(
      join(saved, 'manifest.json'),
      JSON.stringify([{ Config: 'config.json', RepoTags: ['team/app:2', 'team/app:latest'], Layers: ['two.tar'] }]),
    );
    await store.load(tarOf(saved, join(folder, 'saved.tar')));
    expect((await store.list()).map(({ name }) => name)).toEqual(['docker.io/team/app:2', 'docker.io/team/app:latest']);
    expect((await store.config(store.find('team/app')?.digest ?? '')).config).toEqual({ Cmd: ['/x'] });
    expect(readFileSync(join(await root('team/app:2'), 'file'), 'utf8')).toBe('content');
  });

  it('applies whiteouts and opaque folders to the layers below', async () => {
    const below = layer('a', {
      'etc/gone': 'x',
      'etc/stays': 'x',
      'var/lib/old': 'x',
      file: 'below',
      'was-folder/x': 'x',
    });
    const above = layer('b', {
      'etc/.wh.gone': '',
      'var/lib/.wh..wh..opq': '',
      'var/lib/new': 'y',
      file: 'above',
      'was-folder': 'now a file',
    });
    await load([below, above]);
    const files = await root();
    expect(readdirSync(join(files, 'etc'))).toEqual(['stays']);
    expect(readdirSync(join(files, 'var/lib'))).toEqual(['new']);
    expect(readFileSync(join(files, 'file'), 'utf8')).toBe('above');
    expect(readFileSync(join(files, 'was-folder'), 'utf8')).toBe('now a file');
  });

  it('keeps a hostile layer from writing outside the root', async () => {
    writeFileSync(join(folder, 'outside'), 'untouched');
    const below = layer('a', { escape: `-> ${folder}`, up: '-> ../../../../../..' });
    const names = ['escape/outside', 'up/tmp-of-image'];
    layer('b', { 'escape/outside': 'changed', 'up/tmp-of-image': 'x' });
    // The archive omits the folders' own entries, which would replace the links.
    const above = tarOf(join(folder, 'b.d'), join(folder, 'b.tar'), { entries: names });
    await load([below, above]);
    const files = await root();
    expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('untouched');
    expect(readFileSync(join(files, folder, 'outside'), 'utf8')).toBe('changed');
    expect(readFileSync(join(files, 'tmp-of-image'), 'utf8')).toBe('x');
  });

  it('rejects paths and hard links outside the root', async () => {
    const source = join(folder, 'x.d');
    mkdirSync(source);
    writeFileSync(join(source, 'a'), 'x');
    const climbing = tarOf(source, join(folder, 'climbing.tar'), {
      options: ['--transform', 's,a$,../../evil,', '-P'],
    });
    await load([climbing]);
    await expect(root()).rejects.toThrow('the path is outside the root of the image');
    expect(existsSync(join(folder, 'evil'))).toBe(false);
    spawnSync('ln', [join(source, 'a'), join(source, 'b')]);
    const linking = tarOf(source, join(folder, 'linking.tar'), {
      options: ['--transform', 's,.*[ab]$,/etc/passwd,RS', '-P'],
      entries: ['a', 'b'],
    });
    await load([linking, linking], 'linking:1');
    await expect(root('linking:1')).rejects.toThrow(
      'the target /etc/passwd of the hard link is not a file in the image',
    );
  });

  it('unpacks hard links and long names, with modes and without setuid bits', async () => {
    const source = join(folder, 'x.d');
    const long = `${'long-name-'.repeat(12)}/${'part/'.repeat(30)}file`;
    mkdirSync(join(source, long, '..'), { recursive: true });
    writeFileSync(join(source, long), 'deep');
    writeFileSync(join(source, 'program'), 'x');
    spawnSync('chmod', ['4755', join(source, 'program')]);
    spawnSync('ln', [join(source, 'program'), join(source, 'same')]);
    await load([
      tarOf(source, join(folder, 'gnu.tar')),
      tarOf(source, join(folder, 'pax.tar'), { options: ['--format=posix'] }),
    ]);
    const files = await root();
    expect(readFileSync(join(files, long), 'utf8')).toBe('deep');
    expect(statSync(join(files, 'same')).ino).toBe(statSync(join(files, 'program')).ino);
    expect(statSync(join(files, 'program')).mode & 0o7777).toBe(0o755);
  });

  it('rejects damaged content and images that are too large', async () => {
    const layout = join(folder, 'layout');
    mkdirSync(layout);
    writeLayout(layout, { name: 'app:1', layers: [layer('a', { file: 'x'.repeat(10_000) })] });
    const blobs = join(layout, 'blobs', 'sha256');
    const limited = new ImageStore(join(folder, 'limited'), { limits: { bytes: 100, files: 10 } });
    await limited.load(layout);
    await expect(limited.root(limited.find('app:1')?.digest ?? '', { firstId: undefined })).rejects.toThrow(
      'larger than 100 bytes',
    );
    expect(readdirSync(join(folder, 'limited', 'staging'))).toEqual([]);
    for (const name of readdirSync(blobs)) writeFileSync(join(blobs, name), 'damaged');
    await expect(store.load(layout)).rejects.toThrow('is damaged');
  });

  it('names the supported formats when it rejects an archive', async () => {
    const file = tarOf(mkdtempSync(join(folder, 'empty-')), join(folder, 'empty.tar'));
    await expect(store.load(file)).rejects.toThrow('the archive has no index.json (OCI layout) and no manifest.json');
  });

  it('imports a root file system', async () => {
    const image = await store.import(layer('a', { 'bin/tool': 'x' }), { name: 'tool' });
    expect(image.name).toBe('docker.io/library/tool:latest');
    expect(readFileSync(join(await root('tool'), 'bin/tool'), 'utf8')).toBe('x');
  });

  it('prunes content that no image needs, and all images on request', async () => {
    await load([layer('a', { file: 'one' })]);
    const old = await root();
    await load([layer('b', { file: 'two' }), layer('c', { more: 'x' })]);
    const current = await root();
    spawnSync('chmod', ['-R', 'a-w', old]);
    mkdirSync(join(folder, 'store', 'staging', 'interrupted'));
    const { bytes } = await store.prune({ all: false });
    expect(readdirSync(join(folder, 'store', 'staging'))).toEqual([]);
    expect(bytes).toBeGreaterThan(0);
    expect(existsSync(old)).toBe(false);
    expect(lstatSync(join(current, 'more')).isFile()).toBe(true);
    expect(await store.prune({ all: true })).toMatchObject({ images: 1 });
    expect(await store.list()).toEqual([]);
    expect(readdirSync(join(folder, 'store', 'blobs', 'sha256'))).toEqual([]);
  });
});

describe('decompressed', () => {
  const read = async (content: Uint8Array): Promise<string> => {
    const folder = mkdtempSync(join(tmpdir(), 'kw-decompressed-'));
    try {
      writeFileSync(join(folder, 'layer'), content);
      let text = '';
      for await (const piece of decompressed(join(folder, 'layer'))) text += Buffer.from(piece).toString('utf8');
      return text;
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('reads plain, gzip and zstd content', async () => {
    expect(await read(Buffer.from('plain'))).toBe('plain');
    expect(await read(Buffer.from(''))).toBe('');
    expect(await read(zlib.gzipSync('compressed'))).toBe('compressed');
    // `hello` as a frame written by the zstd program.
    const zstd = Buffer.from('28b52ffd240529000068656c6c6fa36d9f88', 'hex');
    // Available since Node.js 22.15.
    if ('createZstdDecompress' in zlib) expect(await read(zstd)).toBe('hello');
    else await expect(read(zstd)).rejects.toThrow('does not support');
  });

  it('reports damaged content', async () => {
    await expect(read(zlib.gzipSync('x'.repeat(1_000)).subarray(0, 20))).rejects.toThrow(/cannot decompress .*layer/);
  });
});

describe('completeName', () => {
  it.each([
    ['busybox', 'docker.io/library/busybox:latest'],
    ['team/app:2', 'docker.io/team/app:2'],
    ['localhost:5000/app', 'localhost:5000/app:latest'],
  ])('completes %s', (image, expected) => {
    expect(completeName(image)).toBe(expected);
  });
});

describe('ImageStore.ofUser', () => {
  it('follows XDG_DATA_HOME, then HOME', () => {
    const base = mkdtempSync(join(tmpdir(), 'kw-images-'));
    try {
      ImageStore.ofUser({ XDG_DATA_HOME: join(base, 'data'), HOME: join(base, 'home') });
      expect(existsSync(join(base, 'data/kubewright/images'))).toBe(true);
      expect(existsSync(join(base, 'home'))).toBe(false);
      ImageStore.ofUser({ HOME: join(base, 'home') });
      expect(existsSync(join(base, 'home/.local/share/kubewright/images'))).toBe(true);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
});
