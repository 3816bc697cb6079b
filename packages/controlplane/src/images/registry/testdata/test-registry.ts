import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Descriptor, ImageIndex, ImageManifest } from '../../image-manifest.ts';

/** A user who can log in. */
export interface RegistryUser {
  readonly username: string;
  readonly password: string;
  /** A refresh token that is accepted instead. */
  readonly refreshToken?: string;
  /** True if tokens of the user do not allow pushing. */
  readonly isReader?: boolean;
}

/** A request about a repository, and its response. */
interface Exchange {
  readonly repository: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A request that the registry received. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** Settings of a {@link TestRegistry}; all can be changed while it runs. */
export interface RegistryBehavior {
  /** How users log in: with a token from `/token`, or with basic authentication. @default everyone can pull */
  login?: 'token' | 'basic' | undefined;
  user?: RegistryUser | undefined;
  /** URL of the token server. @default this server */
  realm?: string | undefined;
  /** False if the registry ignores range requests. */
  hasRanges?: boolean | undefined;
  /** Answers a request differently; returns true if it did. */
  intercept?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/** A registry (OCI distribution specification) on a loopback port, which serves images over real HTTP. */
export class TestRegistry implements AsyncDisposable {
  readonly behavior: RegistryBehavior = {};
  readonly seen: SeenRequest[] = [];
  /** Scopes by token. */
  readonly tokens: Map<string, readonly string[]> = new Map();
  readonly #blobs = new Map<string, Buffer>();
  /** `repository@digest` of the blobs that a repository has. */
  readonly #links = new Set<string>();
  /** By `repository:tag` and `repository:digest`. */
  readonly #manifests = new Map<string, { readonly content: Buffer; readonly type: string }>();
  readonly #server: ReturnType<typeof createServer> | ReturnType<typeof createHttpsServer>;
  readonly #scheme: 'http' | 'https';

  private constructor(tls: { readonly key: string; readonly cert: string } | undefined) {
    const serve = (request: IncomingMessage, response: ServerResponse): void => this.#serve(request, response);
    this.#scheme = tls ? 'https' : 'http';
    this.#server = tls ? createHttpsServer(tls, serve) : createServer(serve);
  }

  static async start(tls?: { readonly key: string; readonly cert: string }): Promise<TestRegistry> {
    const registry = new TestRegistry(tls);
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  /** `127.0.0.1:12345` */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.#scheme}://${this.host}`;
  }

  /** The paths of the requests, without those to the token server. */
  get paths(): readonly string[] {
    return this.seen.map(({ path }) => path).filter((path) => path.startsWith('/v2/'));
  }

  /** Serves the image of an OCI layout. Returns the descriptor of its manifest. */
  addLayout(folder: string, { repository, tag }: { readonly repository: string; readonly tag: string }): Descriptor {
    const blobs = join(folder, 'blobs', 'sha256');
    for (const name of readdirSync(blobs)) this.addBlob(repository, readFileSync(join(blobs, name)));
    const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { manifests: [Descriptor] };
    const manifest = this.#blobs.get(index.manifests[0].digest);
    return this.addManifest(manifest ?? Buffer.alloc(0), { repository, tag });
  }

  /** Serves a manifest or an index. */
  addManifest(
    value: object | Buffer,
    { repository, tag, type }: { readonly repository: string; readonly tag: string; readonly type?: string },
  ): Descriptor {
    const content = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
    const digest = digestOf(content);
    const manifest = { content, type: type ?? 'application/vnd.oci.image.manifest.v1+json' };
    for (const reference of [tag, digest]) this.#manifests.set(`${repository}:${reference}`, manifest);
    return { digest, size: content.length };
  }

  /** Returns a manifest or index; undefined if there is none. */
  manifest(repository: string, reference: string): { readonly content: Buffer; readonly type: string } | undefined {
    return this.#manifests.get(`${repository}:${reference}`);
  }

  /** Returns a blob; undefined if the repository does not have it. */
  blob(repository: string, digest: string): Buffer | undefined {
    return this.#links.has(`${repository}@${digest}`) ? this.#blobs.get(digest) : undefined;
  }

  /** Replaces the content of a blob. */
  setBlob(digest: string, content: Buffer): void {
    this.#blobs.set(digest, content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    this.seen.push({ method, path: url, headers });
    if (this.behavior.intercept?.(request, response)) return;
    if (url.startsWith('/token')) {
      this.#token(request, response);
      return;
    }
    if (!this.#isAuthorized(request)) {
      const realm = this.behavior.realm ?? `${this.url}/token`;
      const [, repository] = /^\/v2\/(.+?)\/(?:manifests|blobs)\//.exec(url) ?? [];
      const scope = method === 'GET' ? `,scope="repository:${repository}:pull"` : '';
      const scheme = this.behavior.login === 'basic' ? 'Basic realm="x"' : `Bearer realm="${realm}",service="test, service"${scope}`;
      response.setHeader('www-authenticate', scheme);
      reject(response, { status: 401, code: 'UNAUTHORIZED' });
      return;
    }
    const { pathname, searchParams } = new URL(url, this.url);
    const [, repository = '', kind, reference = ''] = /^\/v2\/(.+?)\/(manifests|blobs\/uploads|blobs)\/([^/]*)$/.exec(pathname) ?? [];
    const at = { repository, request, response };
    if (method === 'GET' && kind === 'manifests') this.#manifest(`${repository}:${reference}`, response);
    else if (method === 'PUT' && kind === 'manifests') this.#putManifest(reference, at);
    else if (kind === 'blobs' && (method === 'GET' || method === 'HEAD')) this.#blob(reference, at);
    else if (method === 'POST' && kind === 'blobs/uploads') this.#beginUpload(searchParams, at);
    else if (method === 'PUT' && kind === 'blobs/uploads') this.#putBlob(searchParams, at);
    else reject(response, { status: 404, code: 'UNSUPPORTED' });
  }

  #manifest(key: string, response: ServerResponse): void {
    const manifest = this.#manifests.get(key);
    if (!manifest) {
      reject(response, { status: 404, code: 'MANIFEST_UNKNOWN' });
      return;
    }
    response.setHeader('content-type', manifest.type);
    response.end(manifest.content);
  }

  #putManifest(reference: string, { repository, request, response }: Exchange): void {
    void bodyOf(request).then((content) => {
      const { manifests, config, layers } = JSON.parse(content.toString()) as Partial<ImageManifest & ImageIndex>;
      const missing = [
        ...(manifests ?? []).filter(({ digest }) => !this.manifest(repository, digest)),
        ...[...(config ? [config] : []), ...(layers ?? [])].filter(({ digest }) => !this.blob(repository, digest)),
      ];
      const isOther = reference.startsWith('sha256:') && reference !== digestOf(content);
      if (missing.length > 0 || isOther) {
        reject(response, { status: 400, code: isOther ? 'DIGEST_INVALID' : 'MANIFEST_BLOB_UNKNOWN' });
        return;
      }
      this.addManifest(content, { repository, tag: reference, type: request.headers['content-type'] ?? '' });
      response.writeHead(201).end();
    });
  }

  #beginUpload(query: URLSearchParams, { repository, request, response }: Exchange): void {
    const mount = query.get('mount') ?? '';
    const from = query.get('from') ?? '';
    if (this.blob(from, mount) && this.#isAllowed(request, `repository:${from}:pull`)) {
      this.#links.add(`${repository}@${mount}`);
      response.writeHead(201).end();
      return;
    }
    response.writeHead(202, { location: `/v2/${repository}/blobs/uploads/${randomBytes(4).toString('hex')}?state=a%2Bb` }).end();
  }

  #putBlob(query: URLSearchParams, { repository, request, response }: Exchange): void {
    void bodyOf(request).then((content) => {
      if (query.get('state') !== 'a+b' || query.get('digest') !== digestOf(content)) {
        reject(response, { status: 400, code: 'DIGEST_INVALID' });
        return;
      }
      this.addBlob(repository, content);
      response.writeHead(201).end();
    });
  }

  /** Adds a blob to a repository. */
  addBlob(repository: string, content: Buffer): Descriptor {
    this.#blobs.set(digestOf(content), content);
    this.#links.add(`${repository}@${digestOf(content)}`);
    return { digest: digestOf(content), size: content.length };
  }

  #blob(digest: string, { repository, request, response }: Exchange): void {
    const blob = this.blob(repository, digest);
    if (!blob) {
      reject(response, { status: 404, code: 'BLOB_UNKNOWN' });
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1]);
    if (Number.isNaN(from) || this.behavior.hasRanges === false) {
      response.writeHead(200, { 'content-length': blob.length }).end(blob);
      return;
    }
    const range = `bytes ${from}-${blob.length - 1}/${blob.length}`;
    response.writeHead(206, { 'content-range': range, 'content-length': blob.length - from }).end(blob.subarray(from));
  }

  #isAuthorized(request: IncomingMessage): boolean {
    const { pathname } = new URL(request.url ?? '', this.url);
    const [, repository] = /^\/v2\/(.+?)\/(?:manifests|blobs)\//.exec(pathname) ?? [];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return this.#isAllowed(request, `repository:${repository}:${isRead ? 'pull' : 'push'}`);
  }

  #isAllowed({ headers: { authorization = '' } }: IncomingMessage, scope: string): boolean {
    const { login, user } = this.behavior;
    if (login === undefined) return true;
    if (login === 'basic') return authorization === basicOf(user);
    const [, resource, action = ''] = /^(.+):(.+)$/.exec(scope) ?? [];
    const scopes = this.tokens.get(authorization.replace(/^Bearer /, '')) ?? [];
    return scopes.some((one) => one.startsWith(`${resource}:`) && one.split(':')[2]?.split(',').includes(action));
  }

  #token(request: IncomingMessage, response: ServerResponse): void {
    const { user } = this.behavior;
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const isGet = request.method === 'GET';
      const query = new URLSearchParams(isGet ? request.url?.split('?')[1] : body);
      const isKnown = isGet
        ? user === undefined || request.headers.authorization === basicOf(user)
        : query.get('grant_type') === 'refresh_token' && query.get('refresh_token') === user?.refreshToken;
      const scopes = query.getAll('scope').flatMap((scope) => scope.split(' '));
      const isComplete = query.get('service') === 'test, service' && scopes.every((scope) => /^repository:.+:pull/.test(scope));
      if (!isKnown || !isComplete) {
        reject(response, { status: 401, code: 'UNAUTHORIZED' });
        return;
      }
      const token = randomBytes(16).toString('hex');
      this.tokens.set(token, scopes.map((scope) => (user?.isReader ? scope.replace(',push', '') : scope)));
      response.end(JSON.stringify(isGet ? { token } : { access_token: token }));
    });
  }
}

/** Sends an error as registries do. */
export function reject(response: ServerResponse, { status, code }: { readonly status: number; readonly code: string }): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code, message: code.toLowerCase().replaceAll('_', ' ') }] }));
}

export function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

function basicOf(user: RegistryUser | undefined): string {
  return `Basic ${Buffer.from(`${user?.username}:${user?.password}`).toString('base64')}`;
}
