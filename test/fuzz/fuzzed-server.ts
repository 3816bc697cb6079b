import type { ApiResponse } from '@kubewright/apiserver';
import { PlaneUnderTest } from '../../packages/controlplane/src/kube-apiserver/testdata/plane-under-test.ts';
import { namespace, type RandomRequest } from './random-requests.ts';

/** The response to a random request. */
export interface FuzzAnswer {
  readonly status: number;
  /** The first part of the body. */
  readonly text: string;
  /** CPU time of this process from the start of the request to the end of the health check after it. */
  readonly cpuMs: number;
}

const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process' } as const;

/** An in-memory API server for random requests, in the process of the test. */
export class FuzzedServer implements AsyncDisposable {
  /** For each request, the time from its start to the end of the health check after it, in milliseconds. */
  readonly #healthMs: number[] = [];
  readonly #statuses = new Map<number, number>();
  readonly #plane: PlaneUnderTest;

  private constructor(plane: PlaneUnderTest) {
    this.#plane = plane;
  }

  static async start(): Promise<FuzzedServer> {
    const webhookCaller = { call: () => Promise.reject(new Error('no webhook is called')) };
    const server = new FuzzedServer(await PlaneUnderTest.start({ webhookCaller }));
    await server.#plane.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    await server.#plane.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      metadata: { name: 'default' },
    });
    return server;
  }

  /** Internal errors that the server reported. */
  get errors(): unknown[] {
    return this.#plane.errors;
  }

  /** Sends a request and then a health check. Closes streams after their first chunk. */
  async send(request: RandomRequest): Promise<FuzzAnswer> {
    const sentMs = performance.now();
    const before = process.cpuUsage();
    const answer = this.#answer(request);
    await this.#checkHealth();
    const { user, system } = process.cpuUsage(before);
    this.#healthMs.push(performance.now() - sentMs);
    let isOver = false;
    const over = answer.finally(() => {
      isOver = true;
    });
    // Advances the clock for requests that wait, for example until a watch times out.
    for (let turn = 0; !isOver; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isOver && turn > 3) await this.#plane.clock.advance(5_000);
    }
    const { status, text } = await over;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    return { status, text, cpuMs: (user + system) / 1000 };
  }

  /** Formats the number of responses by status, and the durations of the health checks. */
  report(): string {
    const times = this.#healthMs.toSorted((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
    const statuses = [...this.#statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return `${statuses.join(', ')}; /livez p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, p99.9 ${at(0.999)} ms, max ${at(1)} ms`;
  }

  async #checkHealth(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const signal = new AbortController().signal;
    const { status } = await this.#plane.plane.handle({
      method: 'GET',
      path: '/livez',
      headers: {},
      signal,
      connection,
    });
    if (status !== 200) throw new Error(`/livez returned ${status}`);
  }

  async #answer({ method, path, headers, body }: RandomRequest): Promise<{ status: number; text: string }> {
    const gone = new AbortController();
    const response = await this.#plane.plane.handle({
      method,
      path,
      headers: { authorization: 'Bearer admintoken', 'user-agent': 'fuzz', ...headers },
      body,
      signal: gone.signal,
      connection,
    });
    const text = await beginningOf(response);
    gone.abort(new Error('the client disconnected'));
    return { status: response.status, text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#plane[Symbol.asyncDispose]();
  }
}

async function beginningOf({ body }: ApiResponse): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body.subarray(0, 5_000)).toString('utf8');
  for await (const chunk of body) return Buffer.from(chunk.subarray(0, 5_000)).toString('utf8');
  return '';
}
