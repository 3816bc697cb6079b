import { beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedServer } from '../embedded-server.ts';
import { parityKinds } from '../parity-kinds.ts';
import type { ParityServer } from '../parity-target.ts';
import { type RecordedSequence, readSequences, recordedSequences } from '../recorded-sequences.ts';
import { compareSequences } from '../sequences/compare-sequences.ts';
import { FaultyStorage } from './faulty-storage.ts';
import { type PlantedFault, plantedFaults } from './planted-faults.ts';

const kinds = parityKinds();
const recorded = readSequences(recordedSequences);

describe('the sequences with faults planted in the server', () => {
  const healthy = new Set<string>();

  beforeAll(async () => {
    await using server = await EmbeddedServer.start();
    for (const one of recorded) for (const difference of await differencesOf(one, server)) healthy.add(difference);
  });

  it('do not differ without a fault', async () => {
    await using server = await EmbeddedServer.start({ storage: new FaultyStorage({}) });
    for (const one of recorded) {
      expect((await differencesOf(one, server)).filter((difference) => !healthy.has(difference))).toEqual([]);
    }
  });

  it.each(plantedFaults.map((fault) => [fault.name, fault] as const))('differ if %s', async (_, fault) => {
    await using embedded = await EmbeddedServer.start({ storage: new FaultyStorage(fault) });
    const server = faultyServer(embedded, fault);
    let found: string | undefined;
    for (const one of recorded) {
      found = (await differencesOf(one, server)).find((difference) => !healthy.has(difference));
      if (found) break;
    }
    expect(found).toBeDefined();
  });
});

async function differencesOf(one: RecordedSequence, server: ParityServer): Promise<readonly string[]> {
  const found = await compareSequences([one], { server, kinds });
  return found.map(({ kind, seed, request, cause }) => JSON.stringify([kind, seed, request, cause]));
}

function faultyServer({ send, today }: ParityServer, fault: PlantedFault): ParityServer {
  const { request: altered = (request) => request, response = (answer) => answer } = fault;
  return { today, send: async (request) => response(await send(altered(request)), request) };
}
