import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { countCauses } from '../count-causes.ts';
import { EmbeddedServer } from '../embedded-server.ts';
import { parityKinds } from '../parity-kinds.ts';
import { fixedSequences, readSequences, recordedSequences } from '../recorded-sequences.ts';
import { compareSequences, type SequenceDifference } from './compare-sequences.ts';

const { sequences: allowed } = JSON.parse(readFileSync(new URL('../ratchet.json', import.meta.url), 'utf8')) as {
  readonly sequences: Readonly<Record<string, number>>;
};

describe('sequences of writes, lists and watches, compared with kube-apiserver 1.36.3', () => {
  let found: readonly SequenceDifference[] = [];
  let again: readonly SequenceDifference[] = [];

  beforeAll(async () => {
    await using server = await EmbeddedServer.start();
    const kinds = parityKinds();
    found = await compareSequences(readSequences(recordedSequences), { server, kinds });
    again = await compareSequences(readSequences(fixedSequences), { server, kinds });
    expect(server.errors).toEqual([]);
  });

  // To write the current counts and an example of each cause, run
  // `node test/parity/main.mjs --update --out differences.jsonl`.
  it('differ by each cause at most as often as ratchet.json allows', () => {
    const more = Object.entries(countCauses(found)).filter(([cause, count]) => count > (allowed[cause] ?? 0));
    expect(more).toEqual([]);
  });

  // `node test/parity/main.mjs --seed S --keep` adds sequences to this file.
  it('do not differ again where they once differed', () => {
    expect(countCauses(again)).toEqual({});
  });

  it('cause no internal error where upstream returns none', () => {
    expect(found.filter(({ answer, ours }) => ours.status === 500 && answer.status !== 500)).toEqual([]);
  });
});
