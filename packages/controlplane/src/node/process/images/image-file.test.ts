import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImageMap } from '../image-map.ts';
import type { LaunchContext } from '../image-program.ts';
import { ImageFile } from './image-file.ts';
import { builtInImages } from './index.ts';

describe('ImageFile', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-images-'));
    path = join(folder, 'kubewright-images.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const builtIn = builtInImages({ env: {}, platform: 'linux', execPath: '/opt/node', version: 'v24.0.0' });
  const mapOf = (allowHostPrograms = false): ImageMap =>
    new ImageMap(builtIn, { file: new ImageFile(path, { allowHostPrograms, builtIn }), allowHostPrograms });
  const write = (content: unknown): void => writeFileSync(path, JSON.stringify(content), { mode: 0o644 });
  const context = (more: Partial<LaunchContext> = {}): LaunchContext => ({
    podIP: '127.1.2.3',
    root: '/sandbox/c',
    socketFolder: '/sandbox/c.s',
    command: undefined,
    args: undefined,
    env: new Map(),
    reachable: (found) => found,
    hostPath: (found) => `/sandbox/c${found}`,
    programPath: (found) => `/sandbox/c${found}`,
    ...more,
  });

  it("runs the entry's command, unless the pod overrides it", async () => {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'main.js'), '');
    const entry = { like: 'node', folder: './dist', command: ['node', './dist/main.js'], args: ['--fast'] };
    write({ 'registry.example.com/team/app': { ...entry, env: { PORT: '80', MODE: 'dev' }, stopSignal: 'SIGINT' } });
    const program = await mapOf().resolve('registry.example.com/team/app:3');
    expect(program).toMatchObject({ stopSignal: 'SIGINT', standIn: expect.stringContaining('kubewright-images.json') });
    expect(program.programFolders).toContain(join(folder, 'dist'));
    const env = new Map([['PORT', '90']]);
    const script = join(folder, 'dist', 'main.js');
    expect(program.launch(context({ env }))).toMatchObject({
      file: '/opt/node',
      args: [script, '--fast'],
      env: { MODE: 'dev' },
    });
    expect(program.launch(context({ env })).env).not.toHaveProperty('PORT');
    expect(program.launch(context({ args: ['--slow'] })).args).toEqual([script, '--slow']);
    expect(program.launch(context({ command: ['sleep'], args: ['1'] }))).toMatchObject({ file: 'sleep', args: ['1'] });
  });

  it('is reread when it changes, and need not exist', async () => {
    const map = mapOf();
    await expect(map.resolve('team/app')).rejects.toThrow(
      `add an entry to ${path}, for example {"team/app": {"like": "node", "command": ["node", "./server.js"]}}`,
    );
    write({ 'team/app': { command: ['one'] } });
    expect((await map.resolve('team/app')).launch(context()).file).toBe('one');
    write({ 'team/app': { command: ['another'] } });
    expect((await map.resolve('team/app')).launch(context()).file).toBe('another');
    expect((await map.resolve('busybox')).launch(context()).file).toBe('sh');
  });

  it('accepts programs by absolute path only if allowed', async () => {
    write({ 'team/app': { command: [process.execPath] } });
    await expect(mapOf().resolve('team/app')).rejects.toThrow('requires --allow-host-programs');
    expect((await mapOf(true).resolve('team/app')).launch(context()).file).toBe(process.execPath);
    await expect(mapOf().resolve('/bin/sleep')).rejects.toMatchObject({
      reason: 'InvalidImageName',
      message: expect.stringContaining('--allow-host-programs'),
    });
    const sleep = await mapOf(true).resolve('/bin/sleep');
    expect(sleep.launch(context({ args: ['5'] }))).toMatchObject({ file: '/bin/sleep', args: ['5'] });
    expect(sleep.launch(context({ command: ['true'] }))).toMatchObject({ file: 'true', args: [] });
    await expect(mapOf(true).resolve('/no/such')).rejects.toMatchObject({ reason: 'ErrImagePull' });
  });

  it.each([
    ['{', /JSON/],
    [[], 'the file must contain a JSON object with image names as keys'],
    [{ app: 'node' }, 'must be an object'],
    [{ app: { run: ['x'] } }, 'has the unknown field "run"; valid fields are like, command'],
    [{ app: { command: [] } }, '"app" has an invalid "command": []'],
    [{ app: { command: [1] } }, '"app" has an invalid "command": [1]'],
    [
      { app: { like: 'centos' } },
      '"app" has an invalid "like": centos; available images are alpine, busybox, debian, nginx, node, pause, postgres, python, redis, ubuntu',
    ],
    [{ app: { like: 'No Image' } }, '"app" has an invalid "like": No Image; available images are'],
    [{ app: { like: 'node', env: { 'A=B': 'c' } } }, '"app" has an invalid "env"'],
    [{ app: { like: 'node', stopSignal: 'SIGSTOP' } }, '"app" has an invalid "stopSignal"'],
    [{ app: { command: ['./../../bin/sh'] } }, 'is outside'],
    [{ app: { command: ['./nothing'] } }, 'nothing, required by kubewright-images.json, does not exist'],
    [JSON.parse('{"app": {"__proto__": {"like": "node"}}}'), 'has the unknown field "__proto__"'],
  ])('reports the mistake in %j', async (content, message) => {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o644 });
    await expect(mapOf().resolve('app')).rejects.toThrow(message);
  });

  it('fails only the image whose entry is invalid', async () => {
    write({ bad: { run: ['x'] }, 'Not An Image': {}, good: { command: ['one'] } });
    const map = mapOf();
    await expect(map.resolve('bad')).rejects.toThrow('"bad" has the unknown field "run"');
    expect((await map.resolve('good')).launch(context()).file).toBe('one');
    expect((await map.resolve('busybox')).launch(context()).file).toBe('sh');
    await expect(map.resolve('another')).rejects.toThrow(
      '(invalid image names in this file: "Not An Image" (invalid reference format: repository name (library/Not An Image) must be lowercase))',
    );
  });

  it("runs the machine's commands for an empty entry", async () => {
    write({ 'my/ubuntu': {} });
    const program = await mapOf().resolve('my/ubuntu:24.04');
    expect(program.launch(context()).file).toBe('sh');
    expect(program.launch(context({ command: ['ls', '-l'] }))).toMatchObject({ file: 'ls', args: ['-l'] });
  });

  it("finds commands in an image's folder before those of the machine", async () => {
    mkdirSync(join(folder, 'bin'));
    write({ app: { folder: './bin', command: ['server'] } });
    const reachable = (found: string): string => found.replace(folder, '/copied');
    expect((await mapOf().resolve('app')).launch(context({ reachable }))).toMatchObject({
      file: 'server',
      path: ['/copied/bin'],
    });
  });

  it("notes that a pod's command replaces the image's", async () => {
    write({ app: { command: ['serve', '--port', '1'] } });
    const program = await mapOf().resolve('app');
    expect(program.command).toEqual(['serve', '--port', '1']);
    expect(program.launch(context()).note).toBeUndefined();
    expect(program.launch(context({ command: ['sh'] })).note).toBe(
      "app: running the pod's command (sh) instead of serve --port 1 from kubewright-images.json",
    );
  });

  it('distinguishes tags and reports which tags are loaded', async () => {
    write({ 'shop:0.1': { command: ['old'] }, 'shop:0.2': { command: ['new'] }, 'busybox:9': { command: ['nine'] } });
    const map = mapOf();
    expect((await map.resolve('shop:0.1')).launch(context()).file).toBe('old');
    expect((await map.resolve('docker.io/library/shop:0.2')).launch(context()).file).toBe('new');
    await expect(map.resolve('shop:0.3')).rejects.toMatchObject({
      reason: 'ErrImagePull',
      message:
        'image "shop:0.3" is not loaded on this node: loaded tags are shop:0.1, shop:0.2; run kubewright build --load shop:0.3, or use one of the loaded tags',
    });
    await expect(map.resolve('shop')).rejects.toThrow('image "shop" is not loaded');
    expect((await map.resolve('busybox:9')).launch(context()).file).toBe('nine');
    expect((await map.resolve('busybox:1')).launch(context()).file).toBe('sh');
    write({ 'shop:0.1': { command: ['old'] }, shop: { command: ['any'] } });
    expect((await map.resolve('shop:0.1')).launch(context()).file).toBe('old');
    expect((await map.resolve('shop:0.3')).launch(context()).file).toBe('any');
    expect((await map.resolve('shop')).launch(context()).file).toBe('any');
  });

  it("reports an invalid image reference with the kubelet's message", async () => {
    await expect(mapOf().resolve('Bad:Image:x')).rejects.toMatchObject({
      reason: 'InvalidImageName',
      message:
        'Failed to apply default image tag "Bad:Image:x": couldn\'t parse image name "Bad:Image:x": invalid reference format: repository name (library/Bad) must be lowercase',
    });
  });

  it('rejects a file that everyone can write', async () => {
    write({ app: { like: 'node' } });
    chmodSync(path, 0o666);
    await expect(mapOf().resolve('app')).rejects.toThrow('the file is world-writable');
  });
});
