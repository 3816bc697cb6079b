import { type AnswerFacts, factsOf, type RawAnswer } from './answer-facts.ts';
import { collectionOf, type JsonObject, type ParityKind } from './parity-kinds.ts';
import { type HttpRequest, httpRequest, type ParityRequest } from './parity-request.ts';

/** A server that the suite sends requests to. */
export interface ParityServer {
  send(request: HttpRequest): Promise<RawAnswer>;
  /** The server's current date, such as `2026-01-31`. */
  readonly today: string;
}

/** A server on which one object of each kind is stored. */
export class ParityTarget {
  readonly #server: ParityServer;
  readonly #live = new Map<string, JsonObject>();

  private constructor(server: ParityServer) {
    this.#server = server;
  }

  /** Creates an object of each kind. @throws Error if the server rejects one */
  static async prepare(server: ParityServer, kinds: readonly ParityKind[]): Promise<ParityTarget> {
    const target = new ParityTarget(server);
    for (const kind of kinds) {
      if (kind.namespace) await target.#namespace(kind.namespace);
      target.#live.set(kind.id, await target.#create(collectionOf(kind), kind.object));
    }
    return target;
  }

  /** Sends a request of the suite. */
  async ask(request: ParityRequest, kind: ParityKind): Promise<AnswerFacts> {
    const answer = await this.#send(request, kind);
    if (answer.status !== 409) return factsOf(answer, this.#server.today);
    // A controller in the real API server has updated the object: retry with its current version.
    const { text } = await this.#server.send({
      method: 'GET',
      path: `${collectionOf(kind)}/${kind.object.metadata.name}`,
    });
    this.#live.set(kind.id, JSON.parse(text));
    return factsOf(await this.#send(request, kind), this.#server.today);
  }

  #send(request: ParityRequest, kind: ParityKind): Promise<RawAnswer> {
    return this.#server.send(httpRequest(request, { kind, live: this.#live.get(kind.id) ?? {} }));
  }

  async #namespace(name: string): Promise<void> {
    await this.#create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await this.#create(`/api/v1/namespaces/${name}/serviceaccounts`, account);
  }

  async #create(path: string, body: JsonObject): Promise<JsonObject> {
    const { name } = body['metadata'] as { readonly name: string };
    const { status, text } = await this.#server.send({ method: 'POST', path, body });
    if (status === 201) return JSON.parse(text);
    // The object exists from an earlier run, which has not changed it, because all other requests are dry runs.
    if (status === 409) return JSON.parse((await this.#server.send({ method: 'GET', path: `${path}/${name}` })).text);
    throw new Error(`POST ${path}: ${status} ${text}`);
  }
}
