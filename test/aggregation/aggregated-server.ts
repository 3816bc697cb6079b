import * as crypto from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { issueCertificate, type KubernetesObject, systemClock } from '@kubewright/apimachinery';

/** A request as the server received it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly groups: readonly string[];
  /** Common name of the client certificate; undefined if the certificate was not verified. */
  readonly proxy: string | undefined;
}

/** The only kind that an {@link AggregatedServer} serves. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
}

/** An in-memory API server for one namespaced kind, with discovery, OpenAPI, create, get, list and watch. */
export class AggregatedServer implements AsyncDisposable {
  /** PEM of the CA that signs the server's certificate. */
  readonly ca: string;
  readonly seen: SeenRequest[] = [];
  /** True if `/apis` supports aggregated discovery, as servers do since 1.27. */
  knowsAggregatedDiscovery = true;
  /** If set, every response has this status. */
  failing: number | undefined;
  readonly #kind: ServedKind;
  readonly #openApi: string;
  readonly #server: Server;
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #watches = new Set<ServerResponse>();
  #revision = 1;

  /** @param options.clientCa - PEM of the CA that signs the certificates of clients allowed to set the user headers. */
  constructor(
    kind: ServedKind,
    options: { readonly openApi: string; readonly host: string; readonly clientCa: string },
  ) {
    const nowMs = systemClock.now();
    const life = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 };
    const authority = issueCertificate({ subject: { commonName: 'wells-ca' }, usage: 'authority', ...life }, crypto);
    const issuer = { key: authority.key, subject: { commonName: 'wells-ca' } };
    const own = issueCertificate(
      { subject: { commonName: 'wells' }, usage: 'server', hosts: [options.host], issuer, ...life },
      crypto,
    );
    const tls = { key: own.key, cert: own.certificate, ca: options.clientCa };
    this.ca = authority.certificate;
    this.#kind = kind;
    this.#openApi = options.openApi;
    this.#server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
      void this.#answer(request).then((answer) => answer(response));
    });
    // After a protocol switch, the connection echoes what it receives.
    this.#server.on('upgrade', (request, socket, head) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
      socket.write(`${request.headers['x-remote-user']} `);
      socket.write(head);
      socket.pipe(socket);
    });
  }

  /** Listens on loopback and returns the port. */
  async listen(port = 0): Promise<number> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Number of open watches. */
  get watchCount(): number {
    return this.#watches.size;
  }

  /** Breaks all watches mid-stream. */
  breakWatches(): void {
    for (const watch of this.#watches) watch.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close').catch(() => undefined);
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { method = '', url = '/', headers, headersDistinct } = request;
    const socket = request.socket as TLSSocket;
    const proxy = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined;
    this.seen.push({ method, url, headers, groups: headersDistinct['x-remote-group'] ?? [], proxy });
    if (this.failing !== undefined) return json(this.failing, {});
    if (proxy === undefined) return json(401, failure(401, 'Unauthorized', 'Unauthorized'));
    const { pathname, searchParams } = new URL(url, 'https://server');
    const { group, version, plural } = this.#kind;
    if (pathname === '/apis') return this.#groups(headers.accept ?? '');
    if (pathname === `/apis/${group}/${version}`) return json(200, this.#resourceList());
    if (pathname === '/openapi/v3') return json(200, this.#openApiIndex());
    if (pathname === `/openapi/v3/apis/${group}/${version}`) return json(200, this.#openApi);
    const pattern = new RegExp(`^/apis/${group}/${version}(?:/namespaces/([^/]+))?/${plural}(?:/([^/]+))?$`);
    const [found, namespace = '', name] = pattern.exec(pathname) ?? [];
    if (found === undefined) return json(404, failure(404, 'NotFound', `no ${pathname}`));
    if (method === 'POST') return this.#create(namespace, request);
    if (name !== undefined) return this.#get(`${namespace}/${name}`);
    const items = [...this.#objects.values()].filter((one) => !namespace || one.metadata.namespace === namespace);
    if (searchParams.get('watch') === 'true') return this.#watch();
    const metadata = { resourceVersion: `${this.#revision}` };
    return json(200, { ...this.#type(`${this.#kind.kind}List`), metadata, items });
  }

  async #create(namespace: string, request: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const sent = JSON.parse(Buffer.concat(chunks).toString('utf8')) as KubernetesObject;
    const key = `${namespace}/${sent.metadata.name}`;
    if (this.#objects.has(key)) return json(409, failure(409, 'AlreadyExists', `${key} already exists`));
    const own = {
      namespace,
      uid: crypto.randomUUID(),
      resourceVersion: `${++this.#revision}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
    };
    const object = { ...sent, metadata: { ...sent.metadata, ...own } };
    this.#objects.set(key, object);
    for (const watch of this.#watches) watch.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    return json(201, object);
  }

  #get(key: string): Answer {
    const object = this.#objects.get(key);
    if (object) return json(200, object);
    const [, name] = key.split('/');
    const message = `${this.#kind.plural}.${this.#kind.group} ${JSON.stringify(name)} not found`;
    return json(404, failure(404, 'NotFound', message));
  }

  #watch(): Answer {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      this.#watches.add(response);
      response.on('close', () => this.#watches.delete(response));
    };
  }

  #groups(accept: string): Answer {
    const { group, version, kind, plural, singular, shortNames } = this.#kind;
    if (!this.knowsAggregatedDiscovery || !accept.includes('APIGroupDiscoveryList')) {
      return json(406, failure(406, 'NotAcceptable', 'only the aggregated form is known'));
    }
    const responseKind = { group, version, kind };
    const entry = {
      resource: plural,
      responseKind,
      scope: 'Namespaced',
      singularResource: singular,
      verbs,
      shortNames,
    };
    const document = {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: [{ metadata: { name: group }, versions: [{ version, resources: [entry], freshness: 'Current' }] }],
    };
    return json(200, document, 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  }

  #resourceList(): object {
    const { group, version, kind, plural, singular, shortNames } = this.#kind;
    return {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: `${group}/${version}`,
      resources: [{ name: plural, singularName: singular, namespaced: true, kind, verbs, shortNames }],
    };
  }

  #openApiIndex(): object {
    const name = `apis/${this.#kind.group}/${this.#kind.version}`;
    return { paths: { [name]: { serverRelativeURL: `/openapi/v3/${name}?hash=1` } } };
  }

  #type(kind: string): { readonly apiVersion: string; readonly kind: string } {
    return { apiVersion: `${this.#kind.group}/${this.#kind.version}`, kind };
  }
}

const verbs: readonly string[] = ['create', 'get', 'list', 'watch'];

/** Writes a response. */
type Answer = (response: ServerResponse) => void;

function json(status: number, body: object | string, contentType = 'application/json'): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': contentType });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

function failure(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}
