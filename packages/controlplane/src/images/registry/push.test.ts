import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImageConfig, thisArchitecture } from '../image-manifest.ts';
import { ImageStore } from '../image-store.ts';
import type { PushOptions } from './push-to-registry.ts';
import { FastClock } from './testdata/fast-clock.ts';
import { testCertificates } from './testdata/test-authority.ts';
import { TestImage } from './testdata/test-image.ts';
import { reject, TestRegistry } from './testdata/test-registry.ts';

const user = { username: 'ada', password: 'se:cret' };
const repository = 'team/app';

describe('ImageStore.push', () => {
  let image: TestImage;
  let registry: TestRegistry;
  let store: ImageStore;
  let clock: FastClock;
  let home: string;
  beforeEach(async () => {
    image = new TestImage(['one', 'two']);
    registry = await TestRegistry.start();
    registry.addLayout(image.layout, { repository: 'library/base', tag: '1' });
    store = new ImageStore(join(image.folder, 'store'));
    clock = new FastClock();
    home = mkdtempSync(join(image.folder, 'home-'));
  });
  afterEach(async () => {
    await registry[Symbol.asyncDispose]();
    image[Symbol.dispose]();
  });

  const options = (more: Partial<PushOptions> = {}): PushOptions => ({
    clock,
    random: seededRandom(1),
    signal: new AbortController().signal,
    env: { HOME: home },
    base: `${registry.host}/library/base:1`,
    files: [{ path: 'app/main.mjs', content: Buffer.from('program') }],
    createdBy: 'kubewright build',
    configure: (config) => ({ ...config, Entrypoint: ['/node', '/app/main.mjs'] }),
    ...more,
  });
  const push = (more: Partial<PushOptions> & { readonly to?: TestRegistry } = {}) =>
    store.push(`${(more.to ?? registry).host}/${repository}:2`, options(more));
  const failure = (more: Parameters<typeof push>[0] = {}): Promise<unknown> =>
    push(more).then(
      () => expect.fail('the push did not fail'),
      (error: unknown) => error,
    );
  const logIn = (): void => {
    mkdirSync(join(home, '.docker'));
    const auths = { [registry.host]: { auth: btoa(`${user.username}:${user.password}`) } };
    writeFileSync(join(home, '.docker', 'config.json'), JSON.stringify({ auths }));
  };
  /** Pulls the pushed image into another store and returns one of its files. */
  const fileOf = async (file: string): Promise<string> => {
    const other = new ImageStore(join(image.folder, 'other'));
    const { digest } = await other.pull(`${registry.host}/${repository}:2`, options());
    return readFileSync(join(await other.root(digest, { firstId: undefined }), file), 'utf8');
  };
  const countOf = (method: string, path: string): number =>
    registry.seen.filter((one) => one.method === method && one.path.includes(path)).length;

  it('adds a layer to the base, and takes the layers of the base from their repository', async () => {
    const pushed = await push();
    expect(pushed.platforms).toEqual([`linux/${thisArchitecture}`]);
    expect(await fileOf('app/main.mjs')).toBe('program');
    expect(await fileOf('file-1')).toBe('two');
    const other = new ImageStore(join(image.folder, 'other'));
    const found = other.find(`${registry.host}/${repository}:2`);
    expect(found?.digest).toBe(pushed.digest);
    expect((await other.config(pushed.digest)).config).toEqual({ Cmd: ['/x'], Entrypoint: ['/node', '/app/main.mjs'] });
    // The new layer and the configuration are uploaded, the two layers of the base are mounted.
    expect([countOf('POST', '?mount='), countOf('PUT', '/blobs/uploads/')]).toEqual([3, 2]);
  });

  it('sends nothing but the manifest if the registry has the rest, and gives the same digest again', async () => {
    const first = await push();
    registry.seen.length = 0;
    expect(await push()).toEqual(first);
    expect([countOf('POST', ''), countOf('PUT', '')]).toEqual([0, 1]);
    expect(countOf('PUT', `/${repository}/manifests/2`)).toBe(1);
  });

  it('copies the layers of a base in another registry', async () => {
    await using to = await TestRegistry.start();
    await push({ to });
    const manifest = JSON.parse(to.manifest(repository, '2')?.content.toString() ?? '');
    expect(manifest.layers.map(({ digest }: { digest: string }) => to.blob(repository, digest) !== undefined)).toEqual([
      true,
      true,
      true,
    ]);
    expect(to.seen.some(({ path }) => path.includes('mount='))).toBe(false);
  });

  it('builds for every usual platform of the base, and points the tag at an index', async () => {
    const own = registry.addLayout(image.layout, { repository: 'library/base', tag: 'own' });
    const config = (architecture: string): ImageConfig => ({
      os: 'linux',
      architecture,
      history: [],
      rootfs: { diff_ids: [] },
    });
    const manifests = ['arm64', 's390x', 'amd64'].map((architecture) => {
      const blob = Buffer.from(JSON.stringify(config(architecture)));
      const descriptor = registry.addBlob('library/base', blob);
      const type = 'application/vnd.docker.distribution.manifest.v2+json';
      const manifest = { schemaVersion: 2, config: descriptor, layers: [] };
      const added = registry.addManifest(manifest, { repository: 'library/base', tag: architecture, type });
      return { ...added, platform: { os: 'linux', architecture } };
    });
    registry.addManifest({ manifests: [...manifests, own] }, { repository: 'library/base', tag: 'all' });
    const pushed = await push({ base: `${registry.host}/library/base:all` });
    expect(pushed.platforms).toEqual(['linux/amd64', 'linux/arm64']);
    const index = JSON.parse(registry.manifest(repository, '2')?.content.toString() ?? '');
    expect(index.mediaType).toBe('application/vnd.oci.image.index.v1+json');
    for (const { digest, platform } of index.manifests) {
      const manifest = JSON.parse(registry.manifest(repository, digest)?.content.toString() ?? '');
      const configuration = JSON.parse(registry.blob(repository, manifest.config.digest)?.toString() ?? '');
      expect(configuration).toMatchObject({ ...platform, history: [{ created_by: 'kubewright build' }] });
    }
    expect(await fileOf('app/main.mjs')).toBe('program');
  });

  it.each(['token', 'basic'] as const)('logs in with %s authentication', async (login) => {
    Object.assign(registry.behavior, { login, user });
    logIn();
    await push();
    expect(await fileOf('app/main.mjs')).toBe('program');
    // Mounting needs a token for both repositories.
    expect(countOf('PUT', '/blobs/uploads/')).toBe(2);
  });

  it('reports a user who may only read', async () => {
    Object.assign(registry.behavior, { login: 'token', user: { ...user, isReader: true } });
    logIn();
    expect(await failure()).toMatchObject({
      code: 'KW5232',
      what: `cannot push ${registry.host}/${repository}:2`,
      why: 'the registry denies access (UNAUTHORIZED: unauthorized)',
      remedy: 'log in with docker login as a user who can write to the repository',
    });
  });

  it.each([
    [403, 'DENIED', 'the registry denies access (DENIED: denied)', 0],
    [
      404,
      'NAME_UNKNOWN',
      'the repository does not exist, and the registry does not create repositories on push (NAME_UNKNOWN: name unknown)',
      0,
    ],
    [413, 'SIZE_INVALID', 'the registry responded with status 413 (SIZE_INVALID: size invalid)', 0],
    [
      429,
      'TOOMANYREQUESTS',
      "the registry's rate limit is exceeded (status 429) (TOOMANYREQUESTS: toomanyrequests)",
      4,
    ],
    [503, 'UNAVAILABLE', 'the registry responded with status 503 (UNAVAILABLE: unavailable)', 4],
  ])('reports status %i', async (status, code, why, retries) => {
    registry.behavior.intercept = (request, response) => {
      if (request.method !== 'PUT' || !request.url?.includes('manifests')) return false;
      request.resume();
      reject(response, { status, code });
      return true;
    };
    expect(await failure()).toMatchObject({
      code: 'KW5232',
      what: `cannot push ${registry.host}/${repository}:2`,
      why,
    });
    expect(clock.delays).toHaveLength(retries);
  });

  it('retries an upload that was cut or that the registry could not accept', async () => {
    let count = 0;
    registry.behavior.intercept = (request, response) => {
      if (request.method !== 'PUT' || !request.url?.includes('uploads')) return false;
      count += 1;
      if (count === 1) request.destroy();
      if (count === 2) reject(response, { status: 500, code: 'UNKNOWN' });
      return count <= 2;
    };
    await push({ files: [{ path: 'app/main.mjs', content: Buffer.alloc(3_000_000, 'program') }] });
    expect((await fileOf('app/main.mjs')).length).toBe(3_000_000);
    expect(clock.delays).toHaveLength(2);
  });

  it('gives up on uploads that are always cut', async () => {
    registry.behavior.intercept = (request) => {
      const isUpload = request.method === 'PUT';
      if (isUpload) request.destroy();
      return isUpload;
    };
    expect(await failure()).toMatchObject({
      code: 'KW5232',
      why: expect.stringMatching(/^the connection was lost during an upload: /),
    });
    expect(clock.delays).toHaveLength(4);
  });

  it('sends no credentials to other hosts, and no content without encryption', async () => {
    await using other = await TestRegistry.start();
    Object.assign(registry.behavior, { login: 'basic', user });
    logIn();
    registry.behavior.intercept = (request, response) => {
      if (request.method !== 'POST') return false;
      response.writeHead(202, { location: `${other.url}/v2/${repository}/blobs/uploads/x?state=a%2Bb` }).end();
      return true;
    };
    // The other server received the blobs, so the registry rejects the manifest.
    expect(await failure()).toMatchObject({ why: expect.stringContaining('MANIFEST_BLOB_UNKNOWN') });
    expect(other.seen.map(({ headers }) => headers.authorization)).toEqual(other.seen.map(() => undefined));
    expect(other.seen.length).toBeGreaterThan(0);
    const { authority, server } = testCertificates();
    await using secure = await TestRegistry.start(server);
    secure.behavior.intercept = registry.behavior.intercept;
    const caFile = join(image.folder, 'ca.pem');
    writeFileSync(caFile, authority);
    expect(await failure({ to: secure, caFile })).toMatchObject({
      why: `the registry sends uploads to ${other.host} without HTTPS`,
    });
  });

  it.each([
    ['nothing', 'the registry does not have this image (MANIFEST_UNKNOWN: manifest unknown)'],
    ['windows', 'the image is not available for linux/amd64 or linux/arm64'],
  ])('reports a base that has %s', async (tag, why) => {
    const manifests = [{ digest: 'x', size: 1, platform: { os: 'windows', architecture: 'amd64' } }];
    registry.addManifest({ manifests }, { repository: 'library/base', tag: 'windows' });
    expect(await failure({ base: `${registry.host}/library/base:${tag}` })).toMatchObject({ code: 'KW5232', why });
  });
});
