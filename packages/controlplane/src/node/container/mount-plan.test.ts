import { describe, expect, it } from 'vitest';
import type { VolumeMount } from '../driver.ts';
import { type ImageFiles, planMounts } from './mount-plan.ts';

const folders = ['/', '/bin', '/etc', '/run', '/dev'];
const links: Readonly<Record<string, string>> = { '/var/run': '/run' };
const image: ImageFiles = {
  resolve: (path) =>
    Object.entries(links).reduce((text, [from, to]) => text.replace(new RegExp(`^${from}(?=/|$)`), to), path),
  typeOf: (path) => (folders.includes(path) ? 'folder' : path === '/etc/hosts' ? 'file' : undefined),
};
const plan = (mounts: readonly VolumeMount[], workingDir = '/') =>
  planMounts(mounts, {
    image,
    devices: '/pod/dev',
    hasSys: true,
    workingDir,
    isFile: (path) => path.endsWith('.file'),
  });
const volume = (mountPath: string, more: Partial<VolumeMount> = {}): VolumeMount => ({
  mountPath,
  hostPath: `/pod/volumes${mountPath}`,
  readOnly: false,
  ...more,
});

describe('planMounts', () => {
  it('mounts the file systems of every container in an order in which each mount point exists', () => {
    const { mounts, folders } = plan([]);
    const devices = ['full', 'null', 'random', 'tty', 'urandom', 'zero'].map((name) => `/dev/${name}`);
    expect(mounts.map(({ path }) => path)).toEqual([
      '/proc',
      '/sys',
      '/dev',
      ...devices,
      '/dev/pts',
      '/dev/mqueue',
      '/dev/shm',
    ]);
    expect(folders).toEqual(['/proc', '/sys']);
  });

  it.each([
    ['a folder of the image', '/etc', { folders: [], files: [] }],
    ['a folder that is missing', '/srv/www', { folders: ['/srv', '/srv/www'], files: [] }],
    ['a folder below a link', '/var/run/secrets', { folders: ['/run/secrets'], files: [] }],
    ['a device folder', '/dev/shm', { folders: [], files: [] }],
  ])('creates the missing mount points for %s', (_, mountPath, expected) => {
    const { folders, files } = plan([volume(mountPath)]);
    expect({ folders: folders.slice(2), files }).toEqual(expected);
  });

  it('creates an empty file as the mount point of a file', () => {
    const file = { hostPath: '/pod/conf.file' };
    expect(plan([volume('/etc/app/conf', file)]).files).toEqual(['/etc/app/conf']);
    expect(plan([volume('/etc/hosts', file)]).files).toEqual([]);
    expect(plan([volume('/dev/termination-log', file)]).files).toEqual(['/dev/termination-log']);
  });

  it('mounts outer volumes first, and creates mount points for inner volumes in them', () => {
    const { mounts, inVolumes } = plan([volume('/data/a/b'), volume('/data')]);
    expect(mounts.slice(-2).map(({ path }) => path)).toEqual(['/data', '/data/a/b']);
    expect(inVolumes).toMatchObject([{ volume: { mountPath: '/data' }, below: 'a/b', file: false }]);
  });

  it('mounts a subPath from its volume, and requests a check of the mount', () => {
    const { mounts, checked } = plan([volume('/data', { subPath: { volume: '/claims/c', below: 'x/y' } })]);
    expect(mounts.at(-1)).toMatchObject({ source: '/claims/c/x/y', path: '/data', options: 'rbind' });
    expect(checked).toHaveLength(1);
  });

  it('mounts read-only volumes without setuid files and devices', () => {
    expect(plan([volume('/data', { readOnly: true })]).mounts.at(-1)?.options).toBe('rbind,ro,nosuid,nodev');
  });

  it('creates the working folder unless it is in the image or in a volume', () => {
    expect(plan([], '/app').folders).toContain('/app');
    expect(plan([], '/etc').folders).not.toContain('/etc');
    expect(plan([volume('/app')], '/app/sub').folders).not.toContain('/app/sub');
  });

  it.each([
    ['/', {}, 'cannot mount a volume at /: the path is the root of the container'],
    ['/etc/hosts', {}, 'cannot mount a directory at /etc/hosts: the image has a file at this path'],
    ['/etc', { hostPath: '/pod/x.file' }, 'cannot mount a file at /etc: the image has a directory at this path'],
  ])('rejects a volume at %s with %j', (mountPath, more, message) => {
    expect(() => plan([volume(mountPath, more)])).toThrow(message);
  });
});
