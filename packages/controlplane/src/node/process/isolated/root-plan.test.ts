import { describe, expect, it } from 'vitest';
import type { VolumeMount } from '../../driver.ts';
import { type HostFiles, planRoot } from './root-plan.ts';

/** A machine with these folders, files and links. */
const links: Readonly<Record<string, string>> = { '/bin': 'usr/bin', '/var/run': '/run' };
const folders = new Set([
  '/',
  '/etc',
  '/run',
  '/tmp',
  '/tmp/kw-1',
  '/usr',
  '/usr/bin',
  '/dev',
  '/var',
  '/var/lib',
  '/vol',
  '/vol/a',
]);
const files = new Set(['/etc/hosts', '/swapfile', '/dev/null', '/dev/sda']);
const real = (path: string): string => (path.startsWith('/var/run') ? path.replace('/var/run', '/run') : path);
const host: HostFiles = {
  typeOf: (path) => (links[path] ? 'link' : folders.has(real(path)) ? 'folder' : files.has(path) ? 'file' : undefined),
  real,
  top: () => ['bin', 'etc', 'run', 'swapfile', 'tmp', 'usr', 'var', 'vol'],
  target: (path) => links[path] ?? '',
};
const mount = (mountPath: string, hostPath = '/vol/a', readOnly = false): VolumeMount => ({
  mountPath,
  hostPath,
  readOnly,
});
const planOf = (...mounts: readonly VolumeMount[]) =>
  planRoot(mounts, { host, isFile: (path) => path.endsWith('.file'), kept: '/vol' });
const tops = ['/etc', '/usr', '/var', '/vol'];
const whole = ['/dev/pts', ...tops, '/dev/null'];

describe('planRoot', () => {
  it("shows this machine's folders and links, and the container's own /dev, /run and /tmp", () => {
    const { folders: made, files: touched, links: linked, mounts } = planOf();
    expect(made).toEqual(['/dev', '/run', '/tmp', '/dev/pts', '/dev/shm', ...tops]);
    expect(touched).toEqual(['/dev/null']);
    expect(linked).toContainEqual({ path: '/bin', target: 'usr/bin' });
    expect(linked).toContainEqual({ path: '/dev/fd', target: '/proc/self/fd' });
    expect(linked).toContainEqual({ path: '/dev/ptmx', target: 'pts/ptmx' });
    expect(mounts.map(({ path }) => path)).toEqual(whole);
    expect(mounts[0]).toEqual({ type: 'terminals', path: '/dev/pts' });
  });

  it('creates a missing folder of the root', () => {
    const { folders: made, extended, volumes } = planOf(mount('/data/deep'));
    expect(made).toEqual(expect.arrayContaining(['/data', '/data/deep']));
    expect(extended).toEqual([]);
    expect(volumes).toEqual([{ mount: mount('/data/deep'), path: '/data/deep' }]);
  });

  it('adds missing mount points to a folder on this machine, once for all mounts in it', () => {
    const { extended, mounts, volumes } = planOf(mount('/etc/conf/a'), mount('/etc/key.pem', '/vol/key.file', true));
    expect(extended).toEqual([{ folder: '/etc', folders: ['/etc/conf', '/etc/conf/a'], files: ['/etc/key.pem'] }]);
    expect(mounts.slice(whole.length)).toEqual([{ type: 'extended', path: '/etc' }]);
    expect(volumes.map(({ path }) => path)).toEqual(['/etc/key.pem', '/etc/conf/a']);
  });

  it('uses existing mount points', () => {
    expect(planOf(mount('/etc/hosts', '/vol/hosts.file'), mount('/var/lib')).extended).toEqual([]);
    expect(planOf(mount('/var/lib/data'), mount('/var/x')).extended.map(({ folder }) => folder)).toEqual([
      '/var',
      '/var/lib',
    ]);
  });

  it('follows links of this machine', () => {
    const { folders: made, volumes } = planOf(mount('/var/run/secrets/token/'));
    expect(made).toEqual(expect.arrayContaining(['/run/secrets', '/run/secrets/token']));
    expect(volumes.at(-1)?.path).toBe('/run/secrets/token');
  });

  it('mounts outer volumes first and creates mount points in them', () => {
    const { inVolumes, volumes } = planOf(mount('/data/in', '/vol'), mount('/data'));
    expect(volumes.map(({ path }) => path)).toEqual(['/data', '/data/in']);
    expect(inVolumes).toEqual([{ volume: mount('/data'), below: 'in', file: false, mountPath: '/data/in' }]);
  });

  it('keeps the folders of containers visible under /tmp', () => {
    const options = { host, isFile: () => false, kept: '/tmp/kw-1' };
    expect(planRoot([], options).volumes).toMatchObject([{ mount: { hostPath: '/tmp/kw-1' }, path: '/tmp/kw-1' }]);
    expect(planRoot([mount('/tmp')], options).inVolumes).toMatchObject([{ volume: mount('/tmp'), below: 'kw-1' }]);
  });

  it('rejects a volume at the root', () => {
    expect(() => planOf(mount('/'))).toThrow('cannot mount a volume at /: the path is the root of the container');
  });
});
