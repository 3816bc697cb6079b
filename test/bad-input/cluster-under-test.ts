import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { jsonLogger } from '@kubewright/runtime';
import { parse } from 'yaml';
import { send, type Target, type WireAnswer, type WireRequest } from './wire.mjs';

/** Maximum duration of a health check, in milliseconds. */
const HEALTHY_MS = 100;

/** An embedded cluster that listens on a real port. Keeps everything that it logs. */
export class ClusterUnderTest implements AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  /** The administrator's connection. */
  readonly target: Target;
  /** The folder that holds only the cluster's files. */
  readonly folder: string;
  readonly #lines: string[];
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  private constructor(parts: { cluster: EmbeddedCluster; target: Target; folder: string; lines: string[] }) {
    this.cluster = parts.cluster;
    this.target = parts.target;
    this.folder = parts.folder;
    this.#lines = parts.lines;
  }

  static async start(): Promise<ClusterUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), 'kw-bad-'));
    const lines: string[] = [];
    const log = jsonLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } });
    const directory = join(folder, '.kubewright');
    const cluster = await EmbeddedCluster.start({ directory, clock: systemClock, random: systemRandom, log });
    const { users } = parse(readFileSync(cluster.kubeconfig, 'utf8'));
    const pem = (name: string): string => Buffer.from(users[0].user[name], 'base64').toString('utf8');
    const certificate = { cert: pem('client-certificate-data'), key: pem('client-key-data') };
    return new ClusterUnderTest({ cluster, target: { url: cluster.url, certificate }, folder, lines });
  }

  /** Everything logged so far, at every level. */
  get log(): string {
    return this.#lines.join('');
  }

  /** Log lines about internal errors of the API server. */
  get faults(): readonly string[] {
    return this.#lines.filter((line) => line.includes('API server error'));
  }

  send(call: WireRequest): Promise<WireAnswer> {
    return send(this.target, call);
  }

  /**
   * Returns the duration of the fastest of up to five health checks, in milliseconds. Several attempts allow for a machine
   * under load.
   */
  async health(): Promise<number> {
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 5 && best > HEALTHY_MS; tries++) best = Math.min(best, await this.#live());
    return best;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await this.cluster[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #live(): Promise<number> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const call = request(`${this.target.url}/livez`, { agent: this.#agent }, (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - started);
          else reject(new Error(`/livez returned ${response.statusCode}`));
        });
      });
      call.on('error', reject);
      call.end();
    });
  }
}
