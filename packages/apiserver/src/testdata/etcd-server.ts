import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubewright-oracle/bin/etcd');

/** True if there is no etcd to test with. */
export const isEtcdMissing: boolean = !existsSync(program);

/** An etcd for tests, with one member. */
export class EtcdServer implements AsyncDisposable {
  readonly url: string;
  readonly #args: readonly string[];
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(folder: string, { client, peer }: { readonly client: number; readonly peer: number }) {
    this.#folder = folder;
    this.url = `http://127.0.0.1:${client}`;
    const peers = `http://127.0.0.1:${peer}`;
    this.#args = [
      ...['--data-dir', folder, '--listen-client-urls', this.url, '--advertise-client-urls', this.url],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `default=${peers}`],
      ...['--unsafe-no-fsync', '--log-level', 'error'],
    ];
  }

  static async start(): Promise<EtcdServer> {
    const [client, peer] = [await freePort(), await freePort()];
    const server = new EtcdServer(mkdtempSync(join(tmpdir(), 'kw-etcd-')), { client, peer });
    await server.run();
    return server;
  }

  /** Starts the program. Call it again after {@link kill} to restart it. */
  async run(): Promise<void> {
    const child = spawn(program, this.#args, { stdio: 'ignore' });
    this.#child = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}`);
      const isUp = await fetch(`${this.url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    this.#child = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
