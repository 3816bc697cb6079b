import { request } from 'node:https';
import { type Replica, send, wellsPath } from './replica-process.ts';

/**
 * Watches wells through one replica at a time. When the connection ends, continues on the next replica at the same version,
 * so that no event is lost or repeated.
 */
export class WellWatch implements AsyncDisposable {
  readonly names: Set<string> = new Set();
  /** The number of events. Larger than the number of names if the watch repeated an event. */
  events = 0;
  /** The number of replicas watched, one after the other. */
  connections = 0;
  readonly #replicas: () => readonly Replica[];
  readonly #stop = new AbortController();
  #last: string;
  #following: Promise<void> = Promise.resolve();

  private constructor(replicas: () => readonly Replica[], last: string) {
    this.#replicas = replicas;
    this.#last = last;
  }

  /** Watches from now on. */
  static async start(replicas: () => readonly Replica[]): Promise<WellWatch> {
    const { text } = await send(replicas()[0] as Replica, {});
    const watch = new WellWatch(replicas, JSON.parse(text).metadata.resourceVersion);
    watch.#following = watch.#follow();
    return watch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    for (let i = 0; !this.#stop.signal.aborted; i++) {
      const replicas = this.#replicas();
      await this.#watch(replicas[i % replicas.length] as Replica);
      await new Promise((resolve) => setTimeout(resolve, 20)); // the replica may be restarting
    }
  }

  #watch({ url, authority }: Replica): Promise<void> {
    const path = `${wellsPath}?watch=true&resourceVersion=${this.#last}`;
    return new Promise((resolve) => {
      const sent = request(new URL(path, url), { ca: authority, signal: this.#stop.signal }, (response) => {
        if (response.statusCode === 200) this.connections++;
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          if (response.statusCode === 200) for (const line of lines) this.#take(line);
        });
        response.on('error', () => resolve());
        response.on('close', () => resolve());
      });
      sent.on('error', () => resolve());
      sent.end();
    });
  }

  #take(line: string): void {
    const { type, object } = JSON.parse(line);
    if (type !== 'ADDED') throw new Error(`unexpected event: ${line}`);
    this.events++;
    this.names.add(object.metadata.name);
    this.#last = object.metadata.resourceVersion;
  }
}
