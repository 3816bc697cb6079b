import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { EtcdError } from './etcd-error.ts';
import type {
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
  WatchRequest,
  WatchResponse,
} from './etcd-messages.ts';
import { etcdDescriptor } from './etcd-protocol.ts';

/** TLS files for etcd, like kube-apiserver's `--etcd-cafile`, `--etcd-certfile` and `--etcd-keyfile`. */
export interface EtcdTls {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The stream of one watch. */
export interface EtcdWatchStream {
  write(request: WatchRequest): void;
  cancel(): void;
  on(event: 'data', listener: (response: WatchResponse) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'end', listener: () => void): void;
}

type Call<Request, Response> = (
  request: Request,
  options: { readonly deadline: number },
  done: (error: (Error & { readonly code: number; readonly details: string }) | null, response: Response) => void,
) => void;

interface KvService {
  readonly range: Call<RangeRequest, RangeResponse>;
  readonly txn: Call<TxnRequest, TxnResponse>;
  readonly compact: Call<{ readonly revision: number }, object>;
}
interface LeaseService {
  readonly leaseGrant: Call<{ readonly TTL: number; readonly ID: number }, { readonly ID: number }>;
}
interface WatchService {
  watch(): EtcdWatchStream;
}
interface MaintenanceService {
  readonly status: Call<object, { readonly version: string }>;
}
interface Closable {
  close(): void;
}

/** The part of `@grpc/grpc-js` that the client uses. */
interface Grpc {
  loadPackageDefinition(definition: unknown): {
    readonly etcdserverpb: Readonly<
      Record<string, new (target: string, credentials: unknown, options: object) => object>
    >;
  };
  readonly credentials: {
    createInsecure(): unknown;
    createSsl(ca?: Buffer | null, key?: Buffer | null, certificate?: Buffer | null): unknown;
  };
}
interface ProtoLoader {
  fromJSON(descriptor: object, options: object): unknown;
}

/** Timeouts of calls, and of requests for a server's version, in milliseconds. */
const callMs = 10_000;
const versionMs = 2_000;

/** Sends calls to etcd, and fails over to another listed server if one is unreachable. */
export class EtcdClient implements Disposable {
  readonly #kv: KvService & Closable;
  readonly #lease: LeaseService & Closable;
  readonly #watch: WatchService & Closable;
  readonly #versions: (server: string) => MaintenanceService & Closable;
  readonly #servers: string;

  private constructor(
    servers: string,
    services: {
      readonly kv: KvService & Closable;
      readonly lease: LeaseService & Closable;
      readonly watch: WatchService & Closable;
      readonly versions: (server: string) => MaintenanceService & Closable;
    },
  ) {
    this.#servers = servers;
    this.#kv = services.kv;
    this.#lease = services.lease;
    this.#watch = services.watch;
    this.#versions = services.versions;
  }

  /** Creates a client without connecting it. */
  static async create(options: {
    readonly servers: readonly string[];
    readonly tls?: EtcdTls | undefined;
  }): Promise<EtcdClient> {
    const { servers, tls = {} } = options;
    const { grpc, loader } = await grpcModules();
    const definition = loader.fromJSON(etcdDescriptor(), { longs: Number, defaults: true, arrays: true });
    const { etcdserverpb } = grpc.loadPackageDefinition(definition);
    const isSecure = servers.some((server) => server.startsWith('https:'));
    const read = (file: string | undefined): Buffer | null => (file === undefined ? null : readFileSync(file));
    const credentials = isSecure
      ? grpc.credentials.createSsl(read(tls.caFile), read(tls.keyFile), read(tls.certFile))
      : grpc.credentials.createInsecure();
    const target = targetOf(servers);
    const channel = {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 10_000,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1000,
    };
    const make = <T>(name: string, address = target): T & Closable => {
      const Service = etcdserverpb[name] as new (target: string, credentials: unknown, options: object) => unknown;
      return new Service(address, credentials, channel) as T & Closable; // as described in etcdDescriptor
    };
    const services = {
      kv: make<KvService>('KV'),
      lease: make<LeaseService>('Lease'),
      watch: make<WatchService>('Watch'),
      versions: (server: string) => make<MaintenanceService>('Maintenance', targetOf([server])),
    };
    return new EtcdClient(servers.join(','), services);
  }

  range(request: RangeRequest): Promise<RangeResponse> {
    return this.#call((...args) => this.#kv.range(...args), request);
  }

  txn(request: TxnRequest): Promise<TxnResponse> {
    return this.#call((...args) => this.#kv.txn(...args), request);
  }

  async compact(revision: number): Promise<void> {
    await this.#call((...args) => this.#kv.compact(...args), { revision });
  }

  /** Grants a lease. The id must be unused. */
  async grantLease(lease: { readonly id: number; readonly ttlSeconds: number }): Promise<void> {
    await this.#call((...args) => this.#lease.leaseGrant(...args), { TTL: lease.ttlSeconds, ID: lease.id });
  }

  /** Returns the version of one server. */
  async version(server: string): Promise<string> {
    const service = this.#versions(server);
    try {
      const status: MaintenanceService['status'] = (...args) => service.status(...args);
      return (await this.#call(status, {}, versionMs)).version;
    } finally {
      service.close();
    }
  }

  openWatch(): EtcdWatchStream {
    return this.#watch.watch();
  }

  [Symbol.dispose](): void {
    for (const service of [this.#kv, this.#lease, this.#watch]) service.close();
  }

  #call<Request, Response>(call: Call<Request, Response>, request: Request, timeoutMs = callMs): Promise<Response> {
    return new Promise((resolve, reject) => {
      // seam: the deadline of a real connection
      call(request, { deadline: Date.now() + timeoutMs }, (error, response) => {
        if (error === null) resolve(response);
        else reject(this.#errorOf(error));
      });
    });
  }

  #errorOf(cause: Error & { readonly details: string }): EtcdError {
    const what = `a request to etcd at ${this.#servers} failed`;
    const remedy = 'check that etcd is running at this address';
    return new EtcdError({ what, why: cause.details || cause.message, remedy }, { cause });
  }
}

/** Returns the gRPC target for a list of servers. */
function targetOf(servers: readonly string[]): string {
  const hosts = servers.map((server) => new URL(server.includes('://') ? server : `http://${server}`));
  const addresses = hosts.map(
    ({ hostname, port }) => `${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port || 2379}`,
  );
  const areIpv4 = hosts.every(({ hostname }) => hostname === 'localhost' || isIP(hostname) === 4);
  if (areIpv4) return `ipv4:${addresses.join(',')}`;
  if (addresses.length === 1) return `dns:${addresses[0]}`;
  throw new EtcdError({
    what: `cannot use the etcd servers ${servers.join(',')}`,
    why: 'a list of several servers must consist of IPv4 addresses',
    remedy: 'use the IPv4 addresses of the servers, or a single name that resolves to all of them',
  });
}

async function grpcModules(): Promise<{ readonly grpc: Grpc; readonly loader: ProtoLoader }> {
  // Not literals, so that programs that do not use etcd can be bundled and type-checked without the libraries.
  const names: readonly string[] = ['@grpc/grpc-js', '@grpc/proto-loader'];
  try {
    const [grpc, loader] = await Promise.all(
      names.map((name) => import(name) as Promise<{ readonly default?: unknown }>),
    );
    return { grpc: (grpc?.default ?? grpc) as Grpc, loader: (loader?.default ?? loader) as ProtoLoader };
  } catch (cause) {
    throw new EtcdError(
      {
        what: 'cannot use etcd',
        why: 'the packages @grpc/grpc-js and @grpc/proto-loader are not installed',
        remedy: 'run npm install @grpc/grpc-js @grpc/proto-loader',
      },
      { cause },
    );
  }
}
