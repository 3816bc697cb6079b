import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PersistentVolume, PersistentVolumeClaim, type Pod } from '@kubewright/apimachinery/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PodHost } from '../pod/pod-host.ts';
import { PodBench } from '../testdata/pod-bench.ts';
import { LocalPodVolumes } from './local-pod-volumes.ts';
import { VolumeUsers } from './volume-users.ts';

describe('LocalPodVolumes', () => {
  let folder: string;
  let bench: PodBench;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-volumes-'));
    bench = new PodBench({ containers: [{ name: 'c', image: 'c' }] });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function volumesOf(spec: Partial<NonNullable<Pod['spec']>>, settings: Partial<PodHost['settings']> = {}) {
    const pod: Pod = { ...bench.pod, spec: { containers: [{ name: 'c', image: 'c' }], ...spec } };
    const host = { ...bench.host, settings: { ...bench.host.settings, ...settings } };
    return { pod, volumes: new LocalPodVolumes({ host, folder, podIP: '10.1.1.1' }) };
  }
  const secret = (data: Record<string, string>): void => {
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    bench.objects.secrets.set('s', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: encoded });
  };

  it('stores a volume with medium Memory in the memory of the node, and removes it with the pod', async () => {
    const memoryRoot = join(folder, 'memory');
    const spec = {
      volumes: [
        { name: 'm', emptyDir: { medium: 'Memory' } },
        { name: 'd', emptyDir: {} },
      ],
    };
    const { pod, volumes } = volumesOf(spec, { memoryRoot });
    const mounts = ['m', 'd'].map((name) => ({ name, mountPath: `/${name}` }));
    await volumes.prepare(pod);
    const paths = await volumes.mountsOf({ name: 'c', image: 'c', volumeMounts: mounts }, new Map());
    const uid = pod.metadata.uid ?? '';
    expect(paths.map(({ hostPath }) => hostPath)).toEqual([join(memoryRoot, uid, 'm'), join(folder, '.v', 'd')]);
    writeFileSync(join(memoryRoot, uid, 'm', 'file'), 'x');
    await volumes.remove();
    expect(existsSync(join(memoryRoot, uid))).toBe(false);
  });

  it('keeps the memory of other pods if a pod is removed before its volumes are prepared', async () => {
    const memoryRoot = join(folder, 'memory');
    const { volumes } = volumesOf({}, { memoryRoot });
    mkdirSync(join(memoryRoot, 'other'), { recursive: true });
    await volumes.remove();
    expect(existsSync(join(memoryRoot, 'other'))).toBe(true);
  });

  it.runIf(process.platform !== 'win32')(
    'opens an emptyDir volume to all users of a container, below a folder that only this process can enter',
    async () => {
      const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
      const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
      const seen: (readonly string[])[] = [];
      for (const hidesVolumes of [true, false]) {
        const { pod } = volumesOf({ volumes: [{ name: 'e', emptyDir: {} }] });
        const userOf = async () => ({ uid, gid });
        const driver = Object.assign(Object.create(bench.host.driver), { hidesVolumes, userOf });
        const volumes = new LocalPodVolumes({ host: { ...bench.host, driver }, folder, podIP: '10.1.1.1' });
        await volumes.prepare(pod);
        seen.push([modeOf(join(folder, '.v')), modeOf(join(folder, '.v', 'e'))]);
        await volumes.remove();
      }
      expect(seen).toEqual([
        ['700', '777'],
        ['711', '700'],
      ]);
    },
  );

  it('replaces all files of a changed config map atomically', async () => {
    bench.objects.addConfigMap('m', { a: '1', b: '1' });
    const { pod, volumes } = volumesOf({ volumes: [{ name: 'v', configMap: { name: 'm' } }] });
    await volumes.prepare(pod);
    const path = join(folder, '.v', 'v');
    const before = readlinkSync(join(path, '..data'));
    expect(readFileSync(join(path, 'a'), 'utf8')).toBe('1');
    await volumes.refresh(pod);
    expect(readlinkSync(join(path, '..data'))).toBe(before);
    bench.objects.addConfigMap('m', { a: '2', c: '2' });
    await volumes.refresh(pod);
    expect(readdirSync(path).filter((name) => !name.startsWith('..'))).toEqual(['a', 'c']);
    expect(readFileSync(join(path, 'a'), 'utf8')).toBe('2');
    expect(existsSync(join(path, before))).toBe(false);
  });

  it('keeps the old content of a file that a container has mounted by subPath', async () => {
    bench.objects.addConfigMap('m', { a: '1' });
    const { pod, volumes } = volumesOf({ volumes: [{ name: 'v', configMap: { name: 'm' } }] });
    await volumes.prepare(pod);
    const file = openSync(join(folder, '.v', 'v', 'a'), 'r');
    bench.objects.addConfigMap('m', { a: '2' });
    await volumes.refresh(pod);
    expect(readFileSync(file, 'utf8')).toBe('1');
    closeSync(file);
  });

  it.each<[string, (file: string) => void]>([
    ['grown to 4 GiB', (file) => truncateSync(file, 4 * 2 ** 30)],
    ['changed', (file) => writeFileSync(file, '2')],
    ['opened to others', (file) => chmodSync(file, 0o666)],
    ['made unreadable', (file) => chmodSync(file, 0)],
    ['removed', (file) => rmSync(file)],
    ['moved', (file) => renameSync(file, `${file}.old`)],
  ])('rewrites a file that a container has %s', async (_, spoil) => {
    bench.objects.addConfigMap('m', { a: '1' });
    const { pod, volumes } = volumesOf({ volumes: [{ name: 'v', configMap: { name: 'm' } }] });
    await volumes.prepare(pod);
    const data = join(folder, '.v', 'v', '..data');
    spoil(join(data, 'a'));
    await volumes.refresh(pod);
    expect(readdirSync(data)).toEqual(['a']);
    expect(readFileSync(join(data, 'a'), 'utf8')).toBe('1');
  });

  it('changes nothing outside the volume if a container redirects links in it', async () => {
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), 'kept');
    bench.objects.addConfigMap('m', { a: '1' });
    const volumeMounts = [{ name: 'e', mountPath: '/e', subPath: 'link/made' }];
    const { pod, volumes } = volumesOf({
      volumes: [
        { name: 'v', configMap: { name: 'm' } },
        { name: 'e', emptyDir: {} },
      ],
      containers: [{ name: 'c', image: 'c', volumeMounts }],
    });
    await volumes.prepare(pod);
    const path = join(folder, '.v', 'v');
    rmSync(join(path, '..data'));
    symlinkSync('../../outside', join(path, '..data'));
    bench.objects.addConfigMap('m', { a: '2' });
    await volumes.refresh(pod);
    expect(readFileSync(join(path, 'a'), 'utf8')).toBe('2');
    symlinkSync(outside, join(folder, '.v', 'e', 'link'));
    const [container] = pod.spec?.containers ?? [];
    if (!container) throw new Error('no container');
    await expect(volumes.mountsOf(container, new Map())).rejects.toThrow(
      'failed to create subPath directory for volumeMount "e" of container "c"',
    );
    await volumes.remove();
    expect(readdirSync(outside)).toEqual(['precious']);
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('kept');
  });

  it("makes the pod's group own volumes if all containers are in it, and closes them to others", async () => {
    if (process.getuid?.() !== 0) return; // only root can change file owners
    secret({ key: 'hunter2' });
    const { driver } = bench.host;
    const users = { a: { uid: 54_321, gid: 54_321, groups: [54_400] }, b: { uid: 54_322, gid: 54_400 } };
    Object.assign(driver, {
      userOf: async ({ securityContext: { runAsUser } }: { securityContext: { runAsUser?: number } }) =>
        runAsUser === 54_321 ? users.a : users.b,
    });
    const { pod, volumes } = volumesOf({
      securityContext: { fsGroup: 54_400 },
      containers: [54_321, 54_322].map((runAsUser) => ({
        name: `c${runAsUser}`,
        image: 'c',
        securityContext: { runAsUser },
      })),
      volumes: [
        { name: 'e', emptyDir: {} },
        { name: 's', secret: { secretName: 's' } },
      ],
    });
    await volumes.prepare(pod);
    const look = (...path: string[]) => {
      const { gid, mode } = statSync(join(folder, '.v', ...path));
      return { gid, mode: (mode & 0o7777).toString(8) };
    };
    expect(look('e')).toEqual({ gid: 54_400, mode: '2770' });
    expect(look('s')).toEqual({ gid: 54_400, mode: '750' });
    expect(look('s', '..data')).toEqual({ gid: 54_400, mode: '750' });
    expect(look('s', 'key')).toEqual({ gid: 54_400, mode: '644' });
  });

  // Only root can change file owners.
  describe.skipIf(process.getuid?.() !== 0)('of a claim, if the agent is root', () => {
    const users = new VolumeUsers();
    const data = () => join(folder, 'claims', 'ns', 'data');
    /** Prepares the volumes of a pod of one user, in a folder of the pod's own. */
    async function prepared(uid: number, securityContext: NonNullable<Pod['spec']>['securityContext'] = {}) {
      const metadata = { name: 'data', namespace: 'ns', uid: 'claim' };
      const claim = PersistentVolumeClaim({ metadata, spec: { volumeName: 'v' } });
      bench.objects.claims.set('data', { ...claim, status: { phase: 'Bound' } });
      const claimRef = { uid: 'claim' };
      const spec = { claimRef, local: { path: data() } };
      bench.objects.volumes.set('v', PersistentVolume({ metadata: { name: 'v' }, spec }));
      const { fsGroup } = securityContext;
      const user = { uid, gid: uid, ...(fsGroup !== undefined && { groups: [fsGroup] }) };
      Object.assign(bench.host.driver, { userOf: async () => user });
      const host = { ...bench.host, settings: { ...bench.host.settings, volumeRoot: join(folder, 'claims') } };
      const own = { host, folder: join(folder, `pod-${uid}`), podIP: '10.1.1.1', users };
      const volumes = new LocalPodVolumes(own);
      const pod: Pod = {
        ...bench.pod,
        metadata: { ...bench.pod.metadata, uid: `pod-${uid}` },
        spec: {
          containers: [{ name: 'c', image: 'c' }],
          volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }],
          securityContext,
        },
      };
      await volumes.prepare(pod);
      return volumes;
    }
    const look = (...path: string[]) => {
      const { uid, gid, mode } = statSync(join(data(), ...path));
      return `${uid}:${gid} ${(mode & 0o7777).toString(8)}`;
    };
    const write = (uid: number, name: string) => {
      writeFileSync(join(data(), name), '', { mode: 0o600 });
      chownSync(join(data(), name), uid, uid);
    };

    it('gives the files to the next pod, but not those of a running pod', async () => {
      const first = await prepared(54_001);
      write(54_001, 'file');
      expect(look()).toBe('54001:54001 700');
      const second = await prepared(54_002);
      expect([look(), look('file')]).toEqual(['54001:54001 777', '54001:54001 600']);
      await second.remove();
      await first.remove();
      const third = await prepared(54_002);
      expect([look(), look('file')]).toEqual(['54002:54002 700', '54002:54001 600']);
      await third.remove();
    });

    it('lets pods of different users share the files through their group', async () => {
      const first = await prepared(54_001, { fsGroup: 54_100 });
      write(54_001, 'file');
      const second = await prepared(54_002, { fsGroup: 54_100 });
      expect([look(), look('file')]).toEqual(['54001:54100 2770', '54001:54100 660']);
      await second.remove();
      await first.remove();
    });

    it('changes the group of all files, or only if the folder differs', async () => {
      await (await prepared(54_001)).remove();
      mkdirSync(join(data(), 'below'), { mode: 0o700 });
      write(54_001, 'below/file');
      const outside = join(folder, 'outside');
      writeFileSync(outside, '', { mode: 0o600 });
      symlinkSync(outside, join(data(), 'below', 'link'));
      const fsGroupChangePolicy = 'OnRootMismatch';
      await (await prepared(54_001, { fsGroup: 54_100, fsGroupChangePolicy })).remove();
      expect(look()).toBe('54001:54100 2770');
      expect(look('below')).toBe('0:54100 2770');
      expect(look('below', 'file')).toBe('54001:54100 660');
      expect(statSync(outside)).toMatchObject({ uid: 0, gid: 0, mode: 0o100600 });
      write(54_001, 'late');
      await (await prepared(54_001, { fsGroup: 54_100, fsGroupChangePolicy })).remove();
      expect(look('late')).toBe('54001:54001 600');
      await (await prepared(54_001, { fsGroup: 54_100 })).remove();
      expect(look('late')).toBe('54001:54100 660');
    });
  });

  it('reports the empty volume that exceeds its limit', async () => {
    const { pod, volumes } = volumesOf({
      volumes: [
        { name: 'free', emptyDir: {} },
        { name: 'cache', emptyDir: { sizeLimit: '1Mi' } },
      ],
    });
    await volumes.prepare(pod);
    writeFileSync(join(folder, '.v', 'free', 'much'), Buffer.alloc(2_000_000, 1));
    mkdirSync(join(folder, '.v', 'cache', 'below'));
    writeFileSync(join(folder, '.v', 'cache', 'below', 'some'), Buffer.alloc(700_000, 1));
    linkSync(join(folder, '.v', 'cache', 'below', 'some'), join(folder, '.v', 'cache', 'again'));
    symlinkSync(join(folder, '.v', 'free'), join(folder, '.v', 'cache', 'elsewhere'));
    expect(await volumes.excess(pod)).toBeUndefined();
    writeFileSync(join(folder, '.v', 'cache', 'more'), Buffer.alloc(700_000, 1));
    expect(await volumes.excess(pod)).toBe('Usage of EmptyDir volume "cache" exceeds the limit "1Mi". ');
  });

  it('projects keys with their own paths and modes, into a folder that only their owner can enter', async () => {
    secret({ key: 'hunter2', other: 'x' });
    const items = [
      { key: 'key', path: 'deep/er/file' },
      { key: 'other', path: 'own', mode: 0o640 },
    ];
    const { pod, volumes } = volumesOf({
      volumes: [{ name: 'v', secret: { secretName: 's', items, defaultMode: 0o444 } }],
    });
    await volumes.prepare(pod);
    const modeOf = (...path: string[]) => statSync(join(folder, '.v', 'v', ...path)).mode & 0o777;
    expect(readFileSync(join(folder, '.v', 'v', 'deep', 'er', 'file'), 'utf8')).toBe('hunter2');
    expect([modeOf('deep', 'er', 'file'), modeOf('own')]).toEqual([0o444, 0o640]);
    if (process.getuid?.() !== 0) expect(modeOf()).toBe(0o700);
    await volumes.remove();
    expect(existsSync(join(folder, '.v'))).toBe(false);
  });

  it.each([
    ['a common user', { uid: 54_321, gid: 54_321 }, { folder: 0o700, secret: 0o644, token: 0o600 }],
    ['no common user and group', { uid: 54_322, gid: 54_322 }, { folder: 0o755, secret: 0o644, token: 0o644 }],
  ])('lets all containers read secrets and tokens if they have %s', async (_, second, modes) => {
    if (process.getuid?.() !== 0) return; // only root can change file owners
    secret({ key: 'hunter2' });
    const users = [{ uid: 54_321, gid: 54_321 }, second];
    Object.assign(bench.host.driver, { userOf: async ({ image }: { image: string }) => users[Number(image)] });
    const token = { serviceAccountToken: { path: 'token' } };
    const { pod, volumes } = volumesOf({
      containers: users.map((_, index) => ({ name: `c${index}`, image: `${index}` })),
      volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 's' } }, token] } }],
    });
    await volumes.prepare(pod);
    const modeOf = (...path: string[]) => statSync(join(folder, '.v', 'v', ...path)).mode & 0o777;
    expect({ folder: modeOf(), secret: modeOf('key'), token: modeOf('token') }).toEqual(modes);
  });

  it.each([
    [{ name: 'v', secret: { secretName: 'gone' } }, 'secret "gone" not found'],
    [{ name: 'v', hostPath: { path: '/etc' } }, 'hostPath volumes are not allowed'],
    [{ name: 'v', nfs: { server: 'x', path: '/' } }, 'volumes of type nfs are not supported'],
    [
      { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
      'failed to fetch PVC from API server: persistentvolumeclaims "c" not found',
    ],
  ])('rejects %j', async (volume, message) => {
    const { pod, volumes } = volumesOf({ volumes: [volume] });
    await expect(volumes.prepare(pod)).rejects.toThrow(message);
  });

  it('creates an empty volume for an optional missing object', async () => {
    const { pod, volumes } = volumesOf({ volumes: [{ name: 'v', configMap: { name: 'gone', optional: true } }] });
    await volumes.prepare(pod);
    expect(readdirSync(join(folder, '.v', 'v')).filter((name) => !name.startsWith('..'))).toEqual([]);
  });

  it('writes a token with a kubeconfig that refers to it, and renews it at 80% of its lifetime', async () => {
    bench.objects.token = () => {
      bench.objects.tokens++;
      return Promise.resolve({ token: `t${bench.objects.tokens}`, expiresAtMs: bench.clock.now() + 1_000_000 });
    };
    const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
    const container = { name: 'c', image: 'c', volumeMounts: [{ name: 'v', mountPath }] };
    const { pod, volumes } = volumesOf(
      {
        containers: [container],
        volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }],
      },
      { apiServer: { url: 'https://127.0.0.1:6443', ca: 'PEM' } },
    );
    await volumes.prepare(pod);
    expect(await volumes.refresh(pod)).toBe(bench.clock.now() + 800_000);
    const config = JSON.parse(readFileSync(volumes.environmentOf(container).get('KUBECONFIG') ?? '', 'utf8'));
    expect(readFileSync(config.users[0].user.tokenFile, 'utf8')).toBe('t1');
    expect(config.clusters[0].cluster.server).toBe('https://127.0.0.1:6443');
    await bench.clock.advance(800_000);
    await volumes.refresh(pod);
    expect(readFileSync(config.users[0].user.tokenFile, 'utf8')).toBe('t2');
  });

  it('mounts a subPath inside a volume, but not outside it', async () => {
    const { pod, volumes } = volumesOf({ volumes: [{ name: 'v', emptyDir: {} }] });
    await volumes.prepare(pod);
    const mount = (subPath: string) =>
      volumes.mountsOf(
        { name: 'c', image: 'c', volumeMounts: [{ name: 'v', mountPath: '/data', subPath }] },
        new Map(),
      );
    const volume = join(folder, '.v', 'v');
    expect(await mount('a/b')).toEqual([
      { mountPath: '/data', hostPath: join(volume, 'a', 'b'), readOnly: false, subPath: { volume, below: 'a/b' } },
    ]);
    const { symlinkSync } = await import('node:fs');
    symlinkSync('/etc', join(folder, '.v', 'v', 'out'));
    await expect(mount('out')).rejects.toThrow('failed to prepare subPath for volumeMount "v" of container "c"');
    await expect(mount('a/../../x')).rejects.toThrow("unable to provision SubPath `a/../../x`: must not contain '..'");
    await expect(mount('/etc')).rejects.toThrow('error SubPath `/etc` must not be an absolute path');
  });

  it('expands variables in subPathExpr and shows pod fields in downward API files', async () => {
    const volume = {
      name: 'v',
      downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.annotations' } }] },
    };
    const { pod, volumes } = volumesOf({ volumes: [volume, { name: 'e', emptyDir: {} }] });
    const annotated = { ...pod, metadata: { ...pod.metadata, annotations: { b: '2', a: 'say "1"' } } };
    await volumes.prepare(annotated);
    expect(readFileSync(join(folder, '.v', 'v', 'labels'), 'utf8')).toBe('a="say \\"1\\""\nb="2"');
    const container = {
      name: 'c',
      image: 'c',
      volumeMounts: [{ name: 'e', mountPath: '/e', subPathExpr: '$(POD)/x' }],
    };
    const [mount] = await volumes.mountsOf(container, new Map([['POD', 'p-0']]));
    expect(mount?.hostPath).toBe(join(folder, '.v', 'e', 'p-0', 'x'));
  });
});
