import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { seededRandom } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { thisArchitecture } from '../image-manifest.ts';
import { ImageStore } from '../image-store.ts';
import type { PullOptions } from './pull-options.ts';
import { FastClock } from './testdata/fast-clock.ts';
import { testCertificates } from './testdata/test-authority.ts';
import { TestImage } from './testdata/test-image.ts';
import { digestOf, reject, TestRegistry } from './testdata/test-registry.ts';

const user = { username: 'ada', password: 'se:cret', refreshToken: 'refresh-me' };
const repository = 'team/app';

/** Returns text that gzip cannot compress. */
function noise(size: number): string {
  const random = seededRandom(1);
  return Array.from({ length: size }, () => String.fromCharCode(33 + Math.floor(random.next() * 90))).join('');
}

describe('ImageStore.pull', () => {
  let image: TestImage;
  let registry: TestRegistry;
  let store: ImageStore;
  let clock: FastClock;
  let home: string;
  beforeEach(async () => {
    image = new TestImage([noise(300_000), 'two', 'three', 'four']);
    registry = await TestRegistry.start();
    registry.addLayout(image.layout, { repository, tag: '1' });
    store = new ImageStore(join(image.folder, 'store'));
    clock = new FastClock();
    home = mkdtempSync(join(image.folder, 'home-'));
  });
  afterEach(async () => {
    await registry[Symbol.asyncDispose]();
    image[Symbol.dispose]();
  });

  const pull = (more: Partial<PullOptions> & { readonly name?: string } = {}) =>
    store.pull(more.name ?? `${registry.host}/${repository}:1`, {
      clock,
      random: seededRandom(1),
      signal: new AbortController().signal,
      env: { HOME: home },
      ...more,
    });
  const failure = async (more: Parameters<typeof pull>[0] = {}): Promise<Error> => {
    try {
      await pull(more);
    } catch (error) {
      const left = readdirSync(join(image.folder, 'store', 'staging'));
      expect(left).toEqual([]);
      return error as Error;
    }
    throw new Error('the pull did not fail');
  };
  const writeConfig = (config: object): void => {
    mkdirSync(join(home, '.docker'), { recursive: true });
    writeFileSync(join(home, '.docker', 'config.json'), JSON.stringify(config));
  };
  const secret = (entry: object) => {
    const config = Buffer.from(JSON.stringify({ auths: { [registry.host]: entry } })).toString('base64');
    return { name: 'pull', type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': config } };
  };
  const fileOf = async (name: string, file: string): Promise<string> => {
    const root = await store.root(store.find(name)?.digest ?? '', { firstId: undefined });
    return readFileSync(join(root, file), 'utf8');
  };
  /** The largest layer. */
  const layer = (): { readonly digest: string; readonly content: Buffer } => {
    const blobs = join(image.layout, 'blobs', 'sha256');
    const contents = readdirSync(blobs).map((name) => ({
      digest: `sha256:${name}`,
      content: readFileSync(join(blobs, name)),
    }));
    return contents.reduce((a, b) => (a.content.length > b.content.length ? a : b));
  };
  const intercept = (path: string, answer: (request: IncomingMessage, response: ServerResponse) => boolean): void => {
    registry.behavior.intercept = (request, response) =>
      request.url?.includes(path) ? answer(request, response) : false;
  };

  it('stores an image that can be unpacked', async () => {
    const layers: number[] = [];
    const pulled = await pull({ onLayer: ({ size }) => layers.push(size) });
    expect(pulled).toMatchObject({ name: `${registry.host}/team/app:1`, pulled: pulled.digest });
    expect(layers.reduce((a, b) => a + b)).toBe(pulled.size);
    expect(await fileOf(pulled.name, 'file-3')).toBe('four');
    expect((await store.config(pulled.digest)).config).toEqual({ Cmd: ['/x'] });
    expect(await store.list()).toEqual([pulled]);
    // A second pull only checks the manifest.
    registry.seen.length = 0;
    await pull();
    expect(registry.paths).toEqual(['/v2/team/app/manifests/1']);
  });

  it("chooses this machine's image from an index, and finds it by the index's digest", async () => {
    const own = registry.addLayout(image.layout, { repository, tag: 'own' });
    const platform = { os: 'linux', architecture: thisArchitecture };
    const manifests = [
      { ...own, digest: digestOf(Buffer.from('other')), platform: { os: 'linux', architecture: 'other' } },
      { ...own, digest: digestOf(Buffer.from('proof')), platform: { os: 'unknown', architecture: 'unknown' } },
      { ...own, platform },
    ];
    const index = registry.addManifest({ schemaVersion: 2, manifests }, { repository, tag: 'many' });
    const name = `${registry.host}/${repository}@${index.digest}`;
    expect(await pull({ name })).toMatchObject({ name, digest: own.digest, pulled: index.digest });
    expect(store.find(name)).toMatchObject({ digest: own.digest });
    registry.addManifest({ schemaVersion: 2, manifests: manifests.slice(0, 1) }, { repository, tag: 'none' });
    const missing = await failure({ name: `${registry.host}/${repository}:none` });
    expect(missing.message).toBe(
      `${registry.host}/team/app:none has no image for linux/${thisArchitecture}: available platforms: linux/other`,
    );
  });

  it('ignores the tag of a name that also has a digest', async () => {
    const { digest } = registry.addLayout(image.layout, { repository, tag: '1' });
    registry.addManifest({ schemaVersion: 1 }, { repository, tag: '1' });
    expect(await pull({ name: `${registry.host}/${repository}:1@${digest}` })).toMatchObject({ digest });
  });

  it.each(['token', 'basic'] as const)('logs in with %s authentication', async (login) => {
    registry.behavior.login = login;
    registry.behavior.user = user;
    const denied = await failure();
    expect(denied.message).toMatch(
      /log in with docker login|the token server .* returned no token: the credentials were rejected/,
    );
    const auth = Buffer.from(`${user.username}:${user.password}`).toString('base64');
    writeConfig({ auths: { [registry.host]: { auth } } });
    await pull();
    // One token serves all requests.
    expect(registry.tokens.size).toBe(login === 'token' ? 1 : 0);
  });

  it('gets a token without credentials, and a new one when it has expired', async () => {
    registry.behavior.login = 'token';
    let count = 0;
    intercept('/blobs/', () => {
      count += 1;
      if (count === 2) registry.tokens.clear();
      return false;
    });
    await pull();
    expect(registry.tokens.size).toBe(1);
    expect(registry.seen.filter(({ path }) => path.startsWith('/token'))).toHaveLength(2);
  });

  it('exchanges a refresh token', async () => {
    Object.assign(registry.behavior, { login: 'token', user });
    await pull({ secrets: [secret({ auth: 'YTo=', identitytoken: user.refreshToken })] });
  });

  it('tries the credentials of Secrets and of docker one after the other', async () => {
    Object.assign(registry.behavior, { login: 'token', user });
    writeConfig({ auths: { [registry.host]: user } });
    await pull({ secrets: [secret({ username: 'eve', password: 'wrong' })] });
    expect(registry.seen.filter(({ path }) => path.startsWith('/token'))).toHaveLength(2);
  });

  it('reports the errors of all credentials, each once', async () => {
    Object.assign(registry.behavior, { login: 'token', user });
    const eve = secret({ username: 'eve', password: 'wrong' });
    const token = secret({ auth: 'YTo=', registrytoken: 'unknown' });
    const error = await failure({ secrets: [eve, eve, token] });
    const login = `cannot log in to ${registry.host}: the token server ${registry.host} returned no token: the credentials were rejected`;
    const denied = `cannot pull ${registry.host}/team/app:1: the registry denies access (UNAUTHORIZED: unauthorized)`;
    const remedy = 'log in with docker login, or add a Secret to the imagePullSecrets of the pod';
    expect(error.message).toBe(`${login}; with other credentials: ${denied}; ${remedy}`);
  });

  it('does not try other credentials or mention a credential helper if access is not the problem', async () => {
    writeConfig({ auths: { [registry.host]: user }, credHelpers: { 'example.com': 'x' }, credsStore: 'desktop' });
    intercept('/manifests/', (request, response) => {
      response.writeHead(501).end();
      return request.method === 'GET';
    });
    const error = await failure({ secrets: [secret(user)] });
    expect(error.message).toBe(`cannot pull ${registry.host}/team/app:1: the registry responded with status 501`);
    expect(registry.seen.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it.each([400, 429])('tries the next credential if the token server responds with status %i', async (status) => {
    Object.assign(registry.behavior, { login: 'token', user });
    let isFirst = true;
    intercept('/token', (_request, response) => {
      if (isFirst) response.writeHead(status, { 'retry-after': '3600' }).end();
      const handled = isFirst;
      isFirst = false;
      return handled;
    });
    await pull({ secrets: [secret({ username: 'eve', password: 'old' }), secret(user)] });
  });

  it('downloads content again if its copy in the store is damaged', async () => {
    const { name, digest } = await pull();
    const stored = (blob: string): string =>
      join(image.folder, 'store', 'blobs', 'sha256', blob.replace('sha256:', ''));
    const damaged = Buffer.from(layer().content);
    damaged.fill(0, 1_000, 2_000);
    const problems = { [layer().digest]: damaged, [digest]: Buffer.from('{}') };
    for (const [blob, content] of Object.entries(problems)) {
      writeFileSync(stored(blob), content);
      const reason = `${blob} in the image store is damaged`;
      await expect(store.root(digest, { firstId: undefined })).rejects.toThrow(reason);
      // A node with the policy IfNotPresent pulls only images that it does not find.
      expect([store.find(name), await store.list()]).toEqual([undefined, []]);
      await pull();
    }
    // A crash of the machine may leave an empty file.
    writeFileSync(stored(layer().digest), '');
    await pull();
    expect(await fileOf(name, 'file-0')).toHaveLength(300_000);
  });

  it('keeps secrets out of errors', async () => {
    Object.assign(registry.behavior, { login: 'token', user });
    const wrong = { username: 'eve', password: 'very-secret' };
    const error = await failure({ secrets: [secret(wrong)] });
    expect(error.message).toBe(
      `cannot log in to ${registry.host}: the token server ${registry.host} returned no token: the credentials were rejected; log in with docker login, or add a Secret to the imagePullSecrets of the pod`,
    );
    const broken = {
      name: 'pull',
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': btoa('very-secret') },
    };
    const unreadable = await failure({ secrets: [broken] });
    expect(unreadable.message).toBe(
      'cannot read the registry credentials in the Secret pull: the content is not valid JSON',
    );
    expect(JSON.stringify([error, unreadable, error.cause, unreadable.cause])).not.toContain('very-secret');
  });

  describe('with a credential helper of docker', () => {
    /** Installs `docker-credential-keychain`, which runs this shell script. */
    const installHelper = (script: string): Readonly<Record<string, string | undefined>> => {
      const folder = mkdtempSync(join(image.folder, 'bin-'));
      writeFileSync(join(folder, 'docker-credential-keychain'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return { HOME: home, PATH: `${folder}:/usr/bin:/bin` };
    };
    beforeEach(() => {
      registry.behavior.user = user;
      registry.behavior.login = 'token';
      writeConfig({ credsStore: 'keychain' });
    });

    it('gets a password or a refresh token', async () => {
      const reply = (name: string, secret: string): string =>
        `[ "$1 $(cat)" = "get ${registry.host}" ] && echo '${JSON.stringify({ Username: name, Secret: secret })}'`;
      await pull({ env: installHelper(reply(user.username, user.password)) });
      await pull({ env: installHelper(reply('<token>', user.refreshToken)) });
    });

    it('does not start it if another credential has access', async () => {
      const env = installHelper(`touch ${home}/started; exit 1`);
      await pull({ env, secrets: [secret(user)] });
      expect(readdirSync(home)).not.toContain('started');
    });

    it.each([
      [
        'is not on the PATH',
        undefined,
        /from docker-credential-keychain: the program is not on the PATH; without credentials: .* no token/,
      ],
      ['has no credential', 'echo "credentials not found in native keychain"; exit 1', /^cannot log in .* no token/],
      [
        'fails',
        'echo "the keychain is locked"; exit 1',
        /from docker-credential-keychain: the keychain is locked; without/,
      ],
      [
        'prints a credential and fails',
        'echo "{\\"Secret\\": \\"very-secret\\"}"; exit 3',
        /keychain: the program ended with exit code 3; without/,
      ],
      ['is killed', 'kill -TERM $$', /keychain: the program ended with SIGTERM; without/],
      [
        'prints too much',
        'echo "{\\"Secret\\": \\"very-secret"; yes',
        /keychain: the output of the program is too long; without/,
      ],
      [
        'prints something else',
        'echo "{\\"Secret\\": \\"very-secret"',
        /keychain: the output of the program is invalid; without/,
      ],
    ])('pulls without credentials if it %s', async (_, script, message) => {
      const env = script === undefined ? { HOME: home, PATH: home } : installHelper(script);
      const error = await failure({ env });
      expect(error.message).toMatch(message);
      expect(error.message).not.toContain('very-secret');
      registry.behavior.login = undefined;
      await pull({ env });
    });

    it('runs only helpers on the PATH', async () => {
      writeConfig({ auths: {}, credHelpers: { [registry.host]: '../keychain' } });
      expect((await failure()).message).toContain(
        'docker-credential-../keychain: the name of the credential helper is invalid',
      );
    });
  });

  it('sends no credentials to a token server without HTTPS', async () => {
    Object.assign(registry.behavior, { login: 'token', user, realm: 'ftp://token.example/' });
    expect((await failure()).message).toContain('the token server token.example does not use HTTPS');
  });

  it('follows redirects without sending credentials to another host', async () => {
    await using mirror = await TestRegistry.start();
    mirror.addLayout(image.layout, { repository, tag: '1' });
    Object.assign(registry.behavior, { login: 'basic', user });
    intercept('/blobs/', (request, response) => {
      response.writeHead(307, { location: `${mirror.url}${request.url}` }).end();
      return true;
    });
    await pull({ secrets: [secret(user)] });
    expect(registry.seen.at(-1)?.headers.authorization).toMatch(/^Basic /);
    expect(mirror.seen).toHaveLength(5);
    for (const { headers } of mirror.seen) expect(headers.authorization).toBeUndefined();
  });

  it.each(['basic', 'token'] as const)('does not log in at the host of a redirect (%s)', async (login) => {
    await using mirror = await TestRegistry.start();
    mirror.addLayout(image.layout, { repository, tag: '1' });
    Object.assign(registry.behavior, { login: 'basic', user });
    Object.assign(mirror.behavior, { login, user });
    intercept('/blobs/', (request, response) => {
      response.writeHead(307, { location: `${mirror.url}${request.url}` }).end();
      return true;
    });
    await failure({ secrets: [secret(user)] });
    expect(mirror.seen.length).toBeGreaterThan(0);
    for (const { path, headers } of mirror.seen) {
      expect(headers.authorization).toBeUndefined();
      expect(path).toContain('/blobs/');
    }
  });

  it('gives up on endless redirects', async () => {
    intercept('/manifests/', ({ url }, response) => {
      response.writeHead(302, { location: `${url}` }).end();
      return true;
    });
    expect((await failure()).message).toBe(
      `cannot use the registry ${registry.host}: the registry redirects too many times`,
    );
  });

  it.each([true, false])('continues a layer whose connection was cut (ranges: %s)', async (hasRanges) => {
    registry.behavior.hasRanges = hasRanges;
    const { digest, content } = layer();
    let cuts = 0;
    intercept(digest, (request, response) => {
      if (cuts === 2) return false;
      cuts += 1;
      const from = hasRanges ? Number(/\d+/.exec(request.headers.range ?? '0')?.[0]) : 0;
      const partial = from > 0 && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
      response.writeHead(partial ? 206 : 200, { 'content-length': content.length - from, ...partial });
      response.write(content.subarray(from, cuts * 70_000), () => response.destroy());
      return true;
    });
    const { name } = await pull();
    expect(await fileOf(name, 'file-0')).toHaveLength(300_000);
    const ranges = registry.seen.filter(({ path }) => path.includes(digest)).map(({ headers }) => headers.range);
    expect(ranges[0]).toBeUndefined();
    expect(ranges).toHaveLength(3);
    expect(ranges.slice(1)).toEqual([expect.stringMatching(/^bytes=\d+-$/), expect.stringMatching(/^bytes=\d+-$/)]);
  });

  it('gives up on a layer that makes no progress', async () => {
    const { digest, content } = layer();
    intercept(digest, (_request, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 10), () => response.destroy());
      return true;
    });
    expect((await failure()).message).toMatch(/^cannot pull .*\/team\/app:1: aborted$/);
    expect(clock.delays).toHaveLength(4);
  });

  it('rejects damaged content', async () => {
    const { digest, content } = layer();
    const damaged = Buffer.from(content);
    damaged[1_000] = (damaged[1_000] ?? 0) ^ 1;
    registry.setBlob(digest, damaged);
    expect((await failure()).message).toContain(`the content of ${digest} is damaged`);
    registry.setBlob(digest, Buffer.concat([content, content]));
    expect((await failure()).message).toContain(`is larger than the ${content.length} bytes`);
    expect(store.find(`${registry.host}/${repository}:1`)).toBeUndefined();
    const wrong = digestOf(Buffer.from('wrong'));
    intercept('/manifests/', (_request, response) => {
      response.end('{}');
      return true;
    });
    expect((await failure({ name: `${registry.host}/${repository}@${wrong}` })).message).toContain('is damaged');
    const unchecked = `sha512:${'0'.repeat(128)}`;
    expect((await failure({ name: `${registry.host}/${repository}@${unchecked}` })).message).toContain('only sha256');
  });

  it('rejects content that is too large or not an image', async () => {
    const config = { digest: digestOf(Buffer.from('c')), size: 10 };
    const as = async (manifest: object): Promise<string> => {
      registry.addManifest(manifest, { repository, tag: 'odd' });
      return (await failure({ name: `${registry.host}/${repository}:odd` })).message;
    };
    const layers = [{ digest: digestOf(Buffer.from('l')), size: 2 ** 50 }];
    expect(await as({ config, layers })).toContain(`the image is larger than ${64 * 1024 ** 3} bytes`);
    expect(await as({ config: { ...config, size: 1e9 }, layers: [] })).toContain('larger than 4 MiB');
    expect(await as({ config: { ...config, size: -1 }, layers: [] })).toContain('invalid size');
    expect(await as({ config, layers: [], padding: 'x'.repeat(5_000_000) })).toContain('larger than 4194304 bytes');
    expect(await as({ schemaVersion: 1, fsLayers: [] })).toContain('the image manifest has an unsupported format');
    const mediaType = 'application/vnd.cncf.helm.config.v1+json';
    expect(await as({ config: { ...config, mediaType }, layers: [] })).toContain(
      `the media type of its configuration is ${mediaType}`,
    );
  });

  it('waits as long as a busy registry requests, and retries after server errors', async () => {
    const answers: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
      (response) => response.writeHead(503, { 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' }).end(),
      (response) => response.writeHead(500).end(),
      (response) => response.destroy(),
    ];
    intercept('/manifests/', (_request, response) => {
      const answer = answers.shift();
      answer?.(response);
      return answer !== undefined;
    });
    await pull();
    expect(clock.delays.slice(0, 2)).toEqual([7_000, 3_000]);
    expect(clock.delays).toHaveLength(4);
    for (const delay of clock.delays.slice(2)) expect(delay).toBeGreaterThanOrEqual(1_000);
  });

  it('reports a registry that stays busy or requests a long delay', async () => {
    intercept('/manifests/', (_request, response) => {
      reject(response, { status: 429, code: 'TOOMANYREQUESTS' });
      return true;
    });
    const message = `cannot pull ${registry.host}/team/app:1: the registry's rate limit is exceeded (status 429) (TOOMANYREQUESTS: toomanyrequests); try again later, or log in with docker login for a higher limit`;
    expect((await failure()).message).toBe(message);
    expect(registry.seen).toHaveLength(5);
    clock.delays.length = 0;
    intercept('/manifests/', (_request, response) => {
      response.setHeader('retry-after', '3600');
      reject(response, { status: 429, code: 'TOOMANYREQUESTS' });
      return true;
    });
    expect((await failure()).message).toBe(message);
    expect(clock.delays).toEqual([]);
  });

  it('reports missing images and registries', async () => {
    const name = `${registry.host}/${repository}:none`;
    expect((await failure({ name })).message).toBe(
      `cannot pull ${name}: the registry does not have this image (MANIFEST_UNKNOWN: manifest unknown)`,
    );
    const gone = await TestRegistry.start();
    const closed = gone.host;
    await gone[Symbol.asyncDispose]();
    expect((await failure({ name: `${closed}/x` })).message).toBe(
      `cannot pull ${closed}/x:latest: connect ECONNREFUSED ${closed}`,
    );
    expect(clock.delays).toEqual([]);
  });

  it('downloads at most three layers at the same time', async () => {
    let running = 0;
    let most = 0;
    intercept('/blobs/', (_request, response) => {
      running += 1;
      most = Math.max(most, running);
      response.once('close', () => (running -= 1));
      return false;
    });
    await pull();
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(0);
  });

  it('stops when it is canceled', async () => {
    const stop = new AbortController();
    intercept(layer().digest, (_request, response) => {
      response.writeHead(200, { 'content-length': 1_000_000 });
      response.write('x', () => stop.abort(new Error('enough')));
      return true;
    });
    expect((await failure({ signal: stop.signal })).message).toBe('enough');
  });

  it('verifies certificates', async () => {
    const { authority, server } = testCertificates();
    await using secure = await TestRegistry.start(server);
    secure.addLayout(image.layout, { repository, tag: '1' });
    const name = `${secure.host}/${repository}:1`;
    expect((await failure({ name })).message).toMatch(/CA certificate with --ca-file FILE, or in SSL_CERT_FILE/);
    const caFile = join(home, 'ca.pem');
    writeFileSync(caFile, authority);
    expect(await pull({ name, caFile })).toMatchObject({ name });
    expect(await pull({ name, env: { HOME: home, SSL_CERT_FILE: caFile } })).toMatchObject({ name });
    writeFileSync(caFile, 'none');
    expect((await failure({ name, caFile })).message).toBe(
      `cannot read the certificates in ${caFile}: the file contains no PEM certificate`,
    );
  });
});
