import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { countCauses } from '../count-causes.ts';
import { EmbeddedServer } from '../embedded-server.ts';
import { parityKinds } from '../parity-kinds.ts';
import { readSequences, recordedSequences } from '../recorded-sequences.ts';
import { compareSequences, type SequenceDifference } from './compare-sequences.ts';

const { sequences: allowed } = JSON.parse(readFileSync(new URL('../ratchet.json', import.meta.url), 'utf8')) as {
  readonly sequences: Readonly<Record<string, number>>;
};

describe('sequences of writes, lists and watches, compared with kube-apiserver 1.36.3', () => {
  let found: readonly SequenceDifference[] = [];

  beforeAll(async () => {
    await using server = await EmbeddedServer.start();
    found = await compareSequences(readSequences(recordedSequences), { server, kinds: parityKinds() });
    expect(server.errors).toEqual([]);
  });

  // To write the current counts and an example of each cause, run
  // `node test/parity/main.mjs --update --out differences.jsonl`.
  it('differ by each cause at most as often as ratchet.json allows', () => {
    const more = Object.entries(countCauses(found)).filter(([cause, count]) => count > (allowed[cause] ?? 0));
    expect(more).toEqual([]);
  });

  it('cause no internal error where upstream returns none', () => {
    expect(found.filter(({ answer, ours }) => ours.status === 500 && answer.status !== 500)).toEqual([]);
  });
});
