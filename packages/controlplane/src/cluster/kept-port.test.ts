import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { silentLogger } from '@kubewright/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

describe('port of EmbeddedCluster', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'kw-port-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const start = (): Promise<EmbeddedCluster> =>
    EmbeddedCluster.start({ directory, clock: systemClock, random: systemRandom, log: silentLogger });
  const portOf = ({ url }: EmbeddedCluster): number => Number(new URL(url).port);

  /** Starts a cluster, reads its port and stops it. */
  async function place(): Promise<{ readonly port: number; readonly takenPort: number | undefined }> {
    await using cluster = await start();
    expect(readFileSync(cluster.kubeconfig, 'utf8')).toContain(cluster.url);
    return { port: portOf(cluster), takenPort: cluster.takenPort };
  }

  it('is kept between starts; if it is taken, another port is used and reported, and a later start tries the old port again', {
    timeout: 30_000,
  }, async () => {
    const { port, takenPort } = await place();
    expect(takenPort).toBeUndefined();
    const unknownUser = await listenOn(port);
    const elsewhere = await place();
    expect(elsewhere.takenPort).toBe(port);
    expect(elsewhere.port).not.toBe(port);
    await new Promise((resolve) => unknownUser.close(resolve));
    expect(await place()).toEqual({ port, takenPort: undefined });
  });

  it('frees the addresses of services if the cluster cannot start because its port is taken', async () => {
    const taken = await listenOn(0);
    const { port } = taken.address() as { port: number };
    await expect(EmbeddedCluster.start({ directory, port, node: {} })).rejects.toThrow(String(port));
    const { range } = JSON.parse(readFileSync(join(directory, 'network.json'), 'utf8')) as { range: number };
    const mark = await listenOn(10_250, `127.${range}.0.1`);
    for (const server of [mark, taken]) await new Promise((resolve) => server.close(resolve));
  });
});

function listenOn(port: number, host: string = '127.0.0.1'): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(port, host, () => resolve(server));
  });
}
