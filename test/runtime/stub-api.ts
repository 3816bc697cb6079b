import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Note } from './programs/note.ts';

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/**
 * A stub API server that lists and watches notes. Like a server behind a buffering proxy, a watch sends nothing before the
 * first event.
 */
export class StubApi {
  readonly watches: string[] = [];
  lists = 0;
  /** Decides whether to accept or reject a request. */
  admits: (request: Request) => boolean = () => true;
  /** Number of rejected requests. */
  refused = 0;
  /** If true, watches that are opened never send anything. */
  isMute = false;
  #version = 100;
  readonly #notes = new Map<string, Note>();
  readonly #watchers = new Set<(line: string) => void>();
  readonly #history: { readonly version: number; readonly line: string }[] = [];

  /** Writes a note like another client. */
  write(name: string, text: string): void {
    const version = ++this.#version;
    const isNew = !this.#notes.has(name);
    const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(version) };
    const note: Note = { apiVersion: 'runtime.example.com/v1', kind: 'Note', metadata, spec: { text } };
    this.#notes.set(name, note);
    const line = `${JSON.stringify({ type: isNew ? 'ADDED' : 'MODIFIED', object: note })}\n`;
    this.#history.push({ version, line });
    for (const send of this.#watchers) send(line);
  }

  readonly handle = (request: Request, response: Response): void => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stub');
    response.setHeader('content-type', 'application/json');
    if (!this.admits(request)) {
      this.refused++;
      answer(response, 401, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', code: 401 });
    } else if (!pathname.endsWith('/notes')) {
      answer(response, 404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 });
    } else if (/^(1|true)$/.test(searchParams.get('watch') ?? '')) this.#watch(searchParams, response);
    else {
      this.lists++;
      const metadata = { resourceVersion: String(this.#version) };
      const items = [...this.#notes.values()];
      answer(response, 200, { kind: 'NoteList', apiVersion: 'runtime.example.com/v1', metadata, items });
    }
  };

  #watch(query: URLSearchParams, response: Response): void {
    if (query.has('sendInitialEvents')) {
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422 };
      answer(response, 422, { ...status, message: 'sendInitialEvents is forbidden' });
      return;
    }
    const from = Number(query.get('resourceVersion') ?? 0);
    this.watches.push(String(from));
    // The HTTP/2 compatibility layer has the same method with a different type.
    (response as ServerResponse).flushHeaders();
    if (this.isMute) return;
    const send = (line: string): void => void (response as ServerResponse).write(line);
    for (const { version, line } of this.#history) if (version > from) send(line);
    this.#watchers.add(send);
    response.on('close', () => this.#watchers.delete(send));
  }
}

function answer(response: Response, status: number, body: unknown): void {
  response.statusCode = status;
  (response as ServerResponse).end(JSON.stringify(body));
}
