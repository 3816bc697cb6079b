import { describe, expect, it } from 'vitest';
import type { LaunchContext } from '../image-program.ts';
import { installedPrograms } from './find-program.ts';
import { builtInImages } from './index.ts';
import { versionNote } from './version-note.ts';

const context = (more: Partial<LaunchContext> = {}): LaunchContext => ({
  podIP: '127.1.2.3',
  root: '/sandbox/c',
  socketFolder: '/sandbox/c.s',
  command: undefined,
  args: undefined,
  env: new Map(),
  reachable: (path) => path,
  hostPath: (path) => `/sandbox/c${path}`,
  programPath: (path) => `/sandbox/c${path}`,
  ...more,
});

async function imageOf(name: 'nginx' | 'redis', tag: string, version?: string) {
  const found = (program: string) => (version === undefined ? undefined : { path: `/opt/bin/${program}`, version });
  const options = { env: {}, platform: 'linux', execPath: '/bin/node', version: 'v24.0.0' } as const;
  const images = builtInImages({ ...options, findProgram: async (program) => found(program) });
  const image = images.find(({ repository }) => repository === name);
  if (!image) throw new Error(`no image ${name}`);
  return image.find(tag);
}

describe('nginx image', () => {
  it("runs the machine's nginx in the foreground, on the pod's address", async () => {
    const image = await imageOf('nginx', '1.27', '1.27.3');
    expect(image).toMatchObject({ description: 'nginx 1.27.3 at /opt/bin/nginx', stopSignal: 'SIGQUIT' });
    expect(image.standIn).toBeUndefined();
    const { file, args, env, path } = image.launch(context());
    expect([file, args.slice(2), path]).toEqual([
      '/bin/sh',
      ['docker-entrypoint.sh', 'nginx', '-g', 'daemon off;'],
      ['/opt/bin'],
    ]);
    expect(env).toMatchObject({
      KUBEWRIGHT_LISTEN: '127.1.2.3',
      KUBEWRIGHT_HTML: '/sandbox/c/usr/share/nginx/html',
      KUBEWRIGHT_TEMPORARY: '/sandbox/c/var/cache/nginx',
    });
  });

  it('notes that another version or a stand-in runs', async () => {
    expect((await imageOf('nginx', '1.27', '1.22.1')).standIn).toBe('nginx: running nginx 1.22.1 instead of 1.27');
    expect((await imageOf('nginx', '1.27')).standIn).toMatch(/stand-in/);
  });

  it("runs the pod's own command unchanged", async () => {
    const image = await imageOf('nginx', 'latest', '1.22.1');
    const { file, args } = image.launch(context({ command: ['nginx'], args: ['-v'] }));
    expect([file, args]).toEqual(['nginx', ['-v']]);
  });
});

describe('redis image', () => {
  const own = ['--bind', '127.1.2.3', '--port', '6379', '--dir', '/sandbox/c', '--save', '', '--protected-mode', 'no'];
  const launch = async (more: Partial<LaunchContext>) => (await imageOf('redis', '7', '7.0.15')).launch(context(more));

  it("runs the machine's redis-server on the pod's address", async () => {
    expect(await launch({})).toMatchObject({ file: '/opt/bin/redis-server', args: own, path: ['/opt/bin'] });
    const { args } = await launch({ programPath: () => '/volume' });
    expect(args).toContain('/volume');
  });

  it("lets the pod's options take precedence, and keeps a configuration file first", async () => {
    const options = ['--save', '60 1'];
    expect((await launch({ args: options })).args).toEqual([...own, ...options]);
    expect((await launch({ args: ['redis-server', ...options] })).args).toEqual([...own, ...options]);
    expect((await launch({ args: ['/my.conf', ...options] })).args).toEqual(['/my.conf', ...own, ...options]);
    expect(await launch({ args: ['redis-cli', 'ping'] })).toMatchObject({ file: 'redis-cli', args: ['ping'] });
  });

  it('uses a stand-in if redis-server is not installed', async () => {
    expect((await imageOf('redis', '7')).standIn).toMatch(/stand-in/);
  });
});

describe('installedPrograms', () => {
  const find = (present: readonly string[], readVersion: (path: string) => Promise<string>) =>
    installedPrograms({
      env: { PATH: '/a:/b' },
      platform: 'linux',
      exists: (path) => present.includes(path),
      readVersion,
    });

  it('searches PATH, then the usual folders', async () => {
    const readVersion = async () => 'nginx version: nginx/1.22.1';
    const both = ['/usr/sbin/nginx', '/b/nginx'];
    expect(await find(both, readVersion)('nginx')).toEqual({ path: '/b/nginx', version: '1.22.1' });
    expect(await find(['/usr/sbin/nginx'], readVersion)('nginx')).toEqual({
      path: '/usr/sbin/nginx',
      version: '1.22.1',
    });
    expect(await find([], readVersion)('nginx')).toBeUndefined();
  });

  it('skips a program that does not run', async () => {
    const readVersion = async (path: string) => {
      if (path.startsWith('/a')) throw new Error('no such library');
      return 'Redis server v=7.0.15 sha=0:0';
    };
    const found = await find(['/a/redis-server', '/b/redis-server'], readVersion)('redis-server');
    expect(found).toEqual({ path: '/b/redis-server', version: '7.0.15' });
  });
});

describe('versionNote', () => {
  it('returns a note only if a tag names another version', () => {
    expect(versionNote('PostgreSQL', { version: '15.18', tag: '17' })).toBe('running PostgreSQL 15.18 instead of 17');
    expect(versionNote('PostgreSQL', { version: '15.18', tag: '1' })).toBeDefined();
    for (const tag of ['15', '15.18', '15-alpine', 'latest', 'bookworm']) {
      expect(versionNote('PostgreSQL', { version: '15.18', tag })).toBeUndefined();
    }
  });
});
