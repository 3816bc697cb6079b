import type { Transport, TransportResponse } from '@kubewright/client';
import { type Answer, answerFacts, type Exchange, type Identity } from './exchange.ts';
import type { RunPlaces } from './normalize.ts';
import { readableBody } from './readable-body.ts';

/** Maximum size of a response, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;
const WATCH_PATIENCE_MS = 5_000;

/**
 * Replays recorded requests in order. Replaces the names, UIDs and versions that the recorded server assigned with the
 * values that this server assigned in response to the same request.
 */
export class Replay {
  readonly #transport: Transport;
  readonly #places: RunPlaces;
  readonly #learned = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  constructor(transport: Transport, places: RunPlaces) {
    this.#transport = transport;
    this.#places = places;
  }

  /** Sends one request and returns the key facts of this server's response. */
  async send(exchange: Exchange, { events }: { readonly events: boolean }): Promise<Answer> {
    const watch = /[?&]watch=(true|1)/.test(exchange.path);
    const { method, accept, contentType, headers = {}, body, bodyBase64 } = exchange;
    const bytes = bodyBase64
      ? Buffer.from(bodyBase64, 'base64')
      : body
        ? Buffer.from(this.#translate(body))
        : undefined;
    const response = await this.#transport.request({
      method,
      path: this.#translate(exchange.path),
      headers: {
        ...headers,
        'user-agent': 'kubectl/v1.32.4 (linux/amd64) kubernetes/4cb5f07',
        ...(accept ? { accept } : {}),
        ...(contentType ? { 'content-type': contentType } : {}),
      },
      ...(bytes ? { body: bytes } : {}),
      longRunning: watch,
      signal: AbortSignal.timeout(watch ? WATCH_PATIENCE_MS : 30_000),
    });
    const waits = events && exchange.answer.events !== false;
    const text = watch && !waits ? await giveUp(response) : await read(response, watch);
    const facts = { status: response.status, contentType: response.headers['content-type'], body: text, watch };
    const answer = answerFacts(facts, this.#places);
    this.#learn(exchange.answer.identities ?? [], answer.identities ?? []);
    return answer;
  }

  /**
   * Reports whether a request cannot be translated, because it refers to a generated name that appears only in protobuf
   * responses.
   */
  lacksNames({ path, method, answer }: Exchange): boolean {
    const generated = [
      ...path.matchAll(/[/=](?:[a-z]+-)+(?:[bcdfghjklmnpqrstvwxz2456789]{8,10}-)?[bcdfghjklmnpqrstvwxz2456789]{5}\b/g),
    ];
    return method !== 'PUT' && answer.status < 300 && generated.some(([name]) => !this.#learned.has(name.slice(1)));
  }

  #learn(recorded: readonly Identity[], live: readonly Identity[]): void {
    if (recorded.length !== live.length) return;
    recorded.forEach((was, index) => {
      const is = live[index] ?? {};
      if (was.name && is.name && was.name !== is.name) this.#learned.set(was.name, is.name);
      if (was.uid && is.uid) this.#learned.set(was.uid, is.uid);
      if (was.resourceVersion && is.resourceVersion) this.#versions.set(was.resourceVersion, is.resourceVersion);
    });
  }

  #translate(text: string): string {
    let result = text.replace(/(resourceVersion(?:=|"\s*:\s*"))(\d+)/g, (_all, before: string, version: string) => {
      return before + (this.#versions.get(version) ?? version);
    });
    for (const [was, is] of this.#learned) result = result.replaceAll(was, is);
    return result;
  }
}

async function giveUp({ body }: TransportResponse): Promise<string> {
  await body[Symbol.asyncIterator]().return?.();
  return '';
}

/** Reads a body; for a watch, at most the first line. */
async function read({ body, headers }: TransportResponse, watch: boolean): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES || (watch && chunk.includes(10))) break;
  }
  return readableBody(Buffer.concat(chunks), headers['content-type']);
}
