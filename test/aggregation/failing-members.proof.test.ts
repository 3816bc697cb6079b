import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isEtcdMissing } from '../../packages/apiserver/src/testdata/etcd-server.ts';
import { EtcdMembers } from './etcd-members.ts';
import { buildReplica, type Replica, send, startReplica } from './replica-process.ts';
import { WellWatch } from './well-watch.ts';

/** Number of rounds. Each round kills a replica and an etcd member. */
const rounds = 6;
const replicaCount = 3;
const memberCount = 3;

describe.skipIf(isEtcdMissing)('replicas of a server on an etcd of three members', () => {
  // Below node_modules, so that the bundle can load the libraries of the etcd client.
  const folder = fileURLToPath(new URL(`../../node_modules/.kw-members-${process.pid}`, import.meta.url));
  const replicas: Replica[] = [];
  let program: string;
  let etcd: EtcdMembers;

  beforeAll(async () => {
    program = await buildReplica(folder);
    etcd = await EtcdMembers.start(memberCount);
    for (let i = 0; i < replicaCount; i++) replicas.push(await startReplica(program, etcd.urls));
  }, 120_000);
  afterAll(async () => {
    for (const { child } of replicas) child.kill('SIGKILL');
    await etcd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lose no acknowledged write and invent none when either is killed under load', async () => {
    const sent = new Set<string>();
    const acknowledged = new Set<string>();
    let isEnough = false;

    /** Creates wells one after the other, each through the current replica of the slot. */
    async function write(slot: number): Promise<void> {
      for (let i = 0; !isEnough; i++) {
        const name = `w${slot}-${i}`;
        const body = { apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name }, spec: { depth: 1 } };
        sent.add(name);
        const replica = replicas[slot] as Replica;
        const status = await send(replica, { method: 'POST', body }).then(
          (response) => response.status,
          () => 0, // no response: the write may have happened
        );
        if (status === 201) acknowledged.add(name);
        else await new Promise((resolve) => setTimeout(resolve, 20)); // the replica is restarting
      }
    }

    await using watch = await WellWatch.start(() => replicas);
    const writers = replicas.map((_, slot) => write(slot));
    const moreWrites = (): Promise<void> => {
      const goal = acknowledged.size + 100;
      return expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(goal);
    };
    for (let round = 0; round < rounds; round++) {
      await moreWrites();
      const member = round % memberCount;
      await etcd.kill(member);
      await moreWrites();
      const slot = round % replicaCount;
      replicas[slot]?.child.kill('SIGKILL');
      replicas[slot] = await startReplica(program, etcd.urls);
      await moreWrites();
      await etcd.run(member);
    }
    isEnough = true;
    await Promise.all(writers);

    const listed = await Promise.all(replicas.map(list));
    const names = new Set(listed[0]);
    for (const other of listed) expect(new Set(other)).toEqual(names);
    const lost = [...acknowledged].filter((name) => !names.has(name));
    const invented = [...names].filter((name) => !sent.has(name));
    expect({ lost, invented }).toEqual({ lost: [], invented: [] });
    await expect.poll(() => watch.names.size, { timeout: 60_000 }).toBe(names.size);
    expect(watch.names).toEqual(names);
    expect(watch.events).toBe(names.size);
    process.stdout.write(
      `${rounds} members and ${rounds} replicas killed; ${acknowledged.size} writes acknowledged, ${sent.size - acknowledged.size} without; ${names.size} stored; ${watch.connections} watches\n`,
    );
  }, 600_000);
});

async function list(replica: Replica): Promise<readonly string[]> {
  const { status, text } = await send(replica, {});
  expect(status).toBe(200);
  const { items } = JSON.parse(text) as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}
