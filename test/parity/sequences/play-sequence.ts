import type { AnswerFacts, RawAnswer } from '../answer-facts.ts';
import { collectionOf, type JsonObject, type ParityKind } from '../parity-kinds.ts';
import type { ParityServer } from '../parity-target.ts';
import { objectName, readPath, type Sequence, type SequenceRead, sequenceKind, writeRequest } from './sequence.ts';
import { sequenceFacts } from './sequence-facts.ts';

/**
 * Plays a sequence on a server. Each server can play a sequence only once. Returns the facts of the responses, first to
 * the writes, then to the reads.
 */
export async function playSequence(
  sequence: Sequence,
  { server, kind }: { readonly server: ParityServer; readonly kind: ParityKind },
): Promise<readonly AnswerFacts[]> {
  const player = new SequencePlayer(sequence, { server, kind: sequenceKind(kind, sequence.seed) });
  return sequenceFacts(await player.play(), {
    today: server.today,
    timedBookmarks: kind.resource !== 'events',
    orderedFinalizers: kind.resource !== 'namespaces',
  });
}

class SequencePlayer {
  readonly #sequence: Sequence;
  readonly #server: ParityServer;
  readonly #kind: ParityKind;
  readonly #writes: RawAnswer[] = [];
  #start = '';

  constructor(sequence: Sequence, place: { readonly server: ParityServer; readonly kind: ParityKind }) {
    this.#sequence = sequence;
    this.#server = place.server;
    this.#kind = place.kind;
  }

  async play(): Promise<readonly RawAnswer[]> {
    if (this.#kind.namespace) await createNamespace(this.#server, this.#kind.namespace);
    this.#start = versionIn(await this.#get(`${collectionOf(this.#kind)}?limit=1`));
    for (const write of this.#sequence.writes) await this.#write(write);
    // A list of the newest version waits for the watch cache, from which kube-apiserver answers some of the reads below.
    await this.#get(collectionOf(this.#kind));
    const reads: RawAnswer[] = [];
    for (const read of this.#sequence.reads) if (read.verb !== 'watch') reads.push(await this.#read(read, reads));
    // Runs all watches concurrently, because each lasts until its timeout.
    const watches = this.#sequence.reads.filter(({ verb }) => verb === 'watch');
    const watched = await Promise.all(watches.map((watch) => this.#read(watch, reads)));
    return [...this.#writes, ...reads, ...watched];
  }

  async #write(write: Sequence['writes'][number]): Promise<void> {
    const { seed } = this.#sequence;
    let live: JsonObject = {};
    if (write.name !== undefined && /update|delete/.test(write.verb)) {
      const scale = write.verb.startsWith('scale') ? '/scale' : '';
      const item = `${collectionOf(this.#kind)}/${objectName(this.#kind, { seed, name: write.name })}${scale}`;
      const answer = await this.#get(item);
      if (answer.status === 200) live = JSON.parse(answer.text);
    }
    const request = writeRequest(write, { kind: this.#kind, seed, live });
    this.#writes.push(await this.#server.send({ ...request, path: this.#filled(request.path) }));
  }

  #read(read: SequenceRead, earlier: readonly RawAnswer[]): Promise<RawAnswer> {
    const path = this.#filled(readPath(read, { kind: this.#kind, seed: this.#sequence.seed }));
    const first = read.continues === undefined ? undefined : earlier[read.continues];
    const token = first && /"continue":"([^"]+)"/.exec(first.text)?.[1];
    const more = token ? `&continue=${token}` : '';
    return this.#server.send({ method: 'GET', path: `${path}${more}`, accept: read.accept });
  }

  #filled(path: string): string {
    const { seed } = this.#sequence;
    const encoded = (name: string): string => encodeURIComponent(objectName(this.#kind, { seed, name }));
    return path
      .replaceAll('{start}', this.#start)
      .replace(/\{write:(\d+)\}/g, (_, index) => versionIn(this.#writes[Number(index)]) || this.#start)
      .replace(/(?:\{|%7B)sequence(?:\}|%7D)/g, `s${seed}`)
      .replace(/%7B([a-z])%7D/g, (_, name) => encoded(name))
      .replace(/%7Bnamespace%7D/g, this.#kind.namespace ?? 'default');
  }

  #get(path: string): Promise<RawAnswer> {
    return this.#server.send({ method: 'GET', path });
  }
}

/** Creates a namespace with the ServiceAccount that pods need. */
export async function createNamespace(server: ParityServer, name: string): Promise<void> {
  const post = async (path: string, body: JsonObject): Promise<void> => {
    const { status, text } = await server.send({ method: 'POST', path, body });
    if (status >= 300) throw new Error(`cannot prepare a sequence: POST ${path}: ${status} ${text}`);
  };
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await post(`/api/v1/namespaces/${name}/serviceaccounts`, account);
}

/** Returns the resourceVersion of an object or list, or an empty string. */
function versionIn(answer: RawAnswer | undefined): string {
  if (!answer || answer.status >= 300) return '';
  const { metadata } = JSON.parse(answer.text) as { readonly metadata?: { readonly resourceVersion?: string } };
  return metadata?.resourceVersion ?? '';
}
