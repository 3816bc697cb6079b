import { Buffer } from 'node:buffer';
import { type Clock, type Random, systemRandom } from '@kubewright/apimachinery';
import { checkCommit, sizeOfCommit } from '../check-commit.ts';
import {
  type Commit,
  CommitTooLargeError,
  CompactedError,
  FutureRevisionError,
  RevisionMismatchError,
  type Storage,
  type StorageChange,
  StorageClosedError,
  StorageFullError,
  type StorageList,
  type StorageListOptions,
  type StorageWatch,
  type StorageWatchOptions,
  type StorageWrite,
  type StoredObject,
} from '../storage.ts';
import { EtcdClient, type EtcdTls } from './etcd-client.ts';
import { EtcdCompactor } from './etcd-compactor.ts';
import type { EtcdError } from './etcd-error.ts';
import { endOfPrefix } from './etcd-keys.ts';
import { EtcdLeases } from './etcd-leases.ts';
import type { EtcdEvent, EtcdKeyValue, RangeResponse, RequestOp } from './etcd-messages.ts';
import { EtcdVersions } from './etcd-versions.ts';
import { EtcdWatch } from './etcd-watch.ts';

/** Options for {@link EtcdStorage.connect}. */
export interface EtcdStorageOptions {
  /** URLs of etcd's servers. */
  readonly servers: readonly string[];
  readonly tls?: EtcdTls | undefined;
  readonly clock: Clock;
  readonly random?: Random | undefined;
  /** Prepended to every key, so that several stores can share an etcd. @defaultValue '' */
  readonly keyPrefix?: string | undefined;
  /** Time for which history is kept, in milliseconds; `Infinity` leaves compaction to other servers. @defaultValue 5 minutes */
  readonly historyMs?: number | undefined;
  /** Converts values that kube-apiserver stored as protobuf to JSON. @defaultValue returns the values unchanged */
  readonly decode?: ((value: Uint8Array) => Uint8Array) | undefined;
  /** Returns a server's version. @defaultValue queries the server */
  readonly versionOf?: ((server: string) => Promise<string>) | undefined;
  /** Called with errors of compaction and of watch handlers. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A {@link Storage} in etcd. Every read and write is a call to etcd; a WatchCache in front of it serves lists and watches. */
export class EtcdStorage implements Storage {
  readonly #options: EtcdStorageOptions;
  readonly #client: EtcdClient;
  readonly #leases: EtcdLeases;
  readonly #compactor: EtcdCompactor | undefined;
  readonly #versions: EtcdVersions;
  readonly #watches = new Set<StorageWatch>();
  readonly #root: Uint8Array;
  #closed = false;

  private constructor(options: EtcdStorageOptions, client: EtcdClient) {
    const { clock, random = systemRandom, keyPrefix = '', historyMs = 5 * 60_000, onError = () => undefined } = options;
    this.#options = options;
    this.#client = client;
    this.#versions = new EtcdVersions(options.servers, options.versionOf ?? ((server) => client.version(server)));
    this.#root = Buffer.from(`${keyPrefix}/`);
    this.#leases = new EtcdLeases(client, { clock, random });
    if (Number.isFinite(historyMs)) {
      const key = Buffer.from(`${keyPrefix}compact_rev_key`);
      this.#compactor = new EtcdCompactor({ client, clock, everyMs: historyMs, key, onError });
    }
  }

  /** The number of open watches. */
  get watchCount(): number {
    return this.#watches.size;
  }

  /** Connects to etcd and checks that it responds. */
  static async connect(options: EtcdStorageOptions): Promise<EtcdStorage> {
    const storage = new EtcdStorage(options, await EtcdClient.create(options));
    try {
      await storage.revision();
      await storage.#versions.check();
    } catch (error) {
      await storage[Symbol.asyncDispose]();
      throw error;
    }
    return storage;
  }

  async revision(): Promise<number> {
    this.#assertOpen();
    return (await this.#client.range({ key: this.#root, countOnly: true })).header.revision;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    this.#assertOpen();
    const { kvs } = await this.#client.range({ key: this.#keyOf(key) });
    return kvs[0] && this.#objectOf(kvs[0]);
  }

  async list(options: StorageListOptions): Promise<StorageList> {
    this.#assertOpen();
    const { prefix, after, limit, revision } = options;
    const start = this.#keyOf(prefix);
    const next = after === undefined ? start : Buffer.concat([this.#keyOf(after), Buffer.from([0])]);
    const key = Buffer.compare(next, start) < 0 ? start : next;
    let response: RangeResponse;
    try {
      response = await this.#client.range({ key, rangeEnd: endOfPrefix(start), limit, revision });
    } catch (error) {
      throw await this.#readError(error, revision);
    }
    const { kvs, more, count, header } = response;
    const objects = kvs.map((kv) => this.#objectOf(kv));
    return { objects, revision: revision ?? header.revision, more, remaining: count - kvs.length };
  }

  async commit(writes: readonly StorageWrite[]): Promise<Commit> {
    this.#assertOpen();
    checkCommit(writes);
    const keys = writes.map(({ key }) => this.#keyOf(key));
    const success = await Promise.all(writes.map((write) => this.#operation(write)));
    const equal = { result: 0, target: 2 };
    const compare = writes.map(({ expected }, index) => ({
      ...equal,
      key: keys[index] as Uint8Array,
      modRevision: expected,
    }));
    const failure = keys.map((key) => ({ requestRange: { key } }));
    const { succeeded, header, responses } = await this.#write({ compare, success, failure }, writes);
    if (!succeeded) throw this.#mismatch(writes, responses);
    const { revision } = header;
    return { revision, objects: writes.map(({ key, bytes }) => (bytes ? { key, bytes, revision } : undefined)) };
  }

  async watch(
    options: StorageWatchOptions,
    handler: (changes: readonly StorageChange[]) => void,
  ): Promise<StorageWatch> {
    this.#assertOpen();
    const { prefix, fromRevision, onLost = () => undefined } = options;
    const { onError = () => undefined } = this.#options;
    const key = this.#keyOf(prefix);
    void this.#versions.check();
    const watch: EtcdWatch = new EtcdWatch({
      client: this.#client,
      key,
      rangeEnd: endOfPrefix(key),
      fromRevision,
      reportsProgress: this.#versions.reportProgress,
      changeOf: (event) => this.#changeOf(event),
      handler,
      onLost,
      onFault: onError,
      onEnded: () => this.#watches.delete(watch),
      newest: () => this.revision(),
    });
    this.#watches.add(watch);
    try {
      await watch.start();
    } catch (error) {
      watch[Symbol.dispose]();
      throw error;
    }
    return watch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#compactor?.[Symbol.dispose]();
    for (const watch of this.#watches) watch[Symbol.dispose]();
    this.#client[Symbol.dispose]();
  }

  #keyOf(key: string): Uint8Array {
    return Buffer.from((this.#options.keyPrefix ?? '') + key);
  }

  #objectOf({ key, value, modRevision }: EtcdKeyValue): StoredObject {
    const { keyPrefix = '', decode } = this.#options;
    const text = key.toString('utf8');
    let bytes: Uint8Array = value;
    // Kubernetes stores protobuf in an envelope that starts with "k8", and ends JSON with a line feed.
    if (value[0] === 0x6b && value[1] === 0x38 && decode) bytes = decode(value);
    else if (value[value.length - 1] === 0x0a) bytes = value.subarray(0, -1);
    return { key: text.slice(keyPrefix.length), bytes, revision: modRevision };
  }

  #changeOf({ type, kv, prevKv }: EtcdEvent): StorageChange {
    const previous = prevKv ? this.#objectOf(prevKv) : undefined;
    const { key } = this.#objectOf(kv);
    return { key, revision: kv.modRevision, current: type === 1 ? undefined : this.#objectOf(kv), previous };
  }

  async #operation({ key, bytes, ttlSeconds }: StorageWrite): Promise<RequestOp> {
    const name = this.#keyOf(key);
    if (!bytes) return { requestDeleteRange: { key: name } };
    const lease = ttlSeconds === undefined ? undefined : await this.#leases.lease(ttlSeconds);
    return { requestPut: { key: name, value: bytes, lease } };
  }

  async #write(
    request: Parameters<EtcdClient['txn']>[0],
    writes: readonly StorageWrite[],
  ): ReturnType<EtcdClient['txn']> {
    try {
      return await this.#client.txn(request);
    } catch (error) {
      const { why = '' } = error as EtcdError;
      if (why.includes('database space exceeded')) throw new StorageFullError(undefined);
      if (/request is too large|message larger than max/.test(why))
        throw new CommitTooLargeError(sizeOfCommit(writes), { limit: undefined, unit: 'bytes' });
      throw error;
    }
  }

  #mismatch(
    writes: readonly StorageWrite[],
    responses: readonly { readonly responseRange: RangeResponse | null }[],
  ): Error {
    for (const [index, { key, expected }] of writes.entries()) {
      const kv = responses[index]?.responseRange?.kvs[0];
      if ((kv?.modRevision ?? 0) !== expected) return new RevisionMismatchError(key, kv && this.#objectOf(kv));
    }
    return new Error('etcd rejected a commit although all revisions are as expected');
  }

  async #readError(error: unknown, requested = 0): Promise<unknown> {
    const { why = '' } = error as EtcdError;
    if (why.includes('required revision has been compacted')) return new CompactedError(requested, requested + 1);
    if (why.includes('required revision is a future revision'))
      return new FutureRevisionError(requested, await this.revision());
    return error;
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageClosedError();
  }
}
