import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubewright-oracle/bin/etcd');

interface Member {
  readonly url: string;
  readonly args: readonly string[];
  child: ChildProcess | undefined;
}

/** An etcd cluster of several members. They sync writes to disk as in production, so that a killed member loses no data. */
export class EtcdMembers implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kw-etcd-members-'));
  readonly #members: Member[] = [];

  /** The client URLs of all members. */
  get urls(): readonly string[] {
    return this.#members.map(({ url }) => url);
  }

  static async start(count: number): Promise<EtcdMembers> {
    const etcd = new EtcdMembers();
    const ports = await freePorts(2 * count);
    const url = (index: number): string => `http://127.0.0.1:${ports[index]}`;
    const peers = Array.from({ length: count }, (_, index) => url(count + index));
    const cluster = peers.map((peer, index) => `member-${index}=${peer}`).join(',');
    for (const [index, peer] of peers.entries()) {
      const client = url(index);
      const args = [
        ...['--name', `member-${index}`, '--data-dir', join(etcd.#folder, String(index))],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
        ...['--initial-cluster', cluster, '--log-level', 'error'],
      ];
      etcd.#members.push({ url: client, args, child: undefined });
    }
    await Promise.all(peers.map((_, index) => etcd.run(index)));
    return etcd;
  }

  /** Starts a member and waits until it is healthy, which requires a running majority. */
  async run(index: number): Promise<void> {
    const member = this.#member(index);
    const child = spawn(program, member.args, { stdio: 'ignore' });
    member.child = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`etcd member ${index} ended with ${child.exitCode}`);
      const isHealthy = await fetch(`${member.url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isHealthy) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Kills a member with SIGKILL. */
  async kill(index: number): Promise<void> {
    const { child } = this.#member(index);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((_, index) => this.kill(index)));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new Error(`there is no etcd member ${index}`);
    return member;
  }
}

/** Returns unused ports, all different. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
