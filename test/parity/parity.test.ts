import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { countCauses, type Difference, findDifferences } from './count-causes.ts';
import { EmbeddedServer } from './embedded-server.ts';
import { parityKinds } from './parity-kinds.ts';
import { ParityTarget } from './parity-target.ts';
import { fixedFile, readAnswers, recordedFile } from './recorded-answers.ts';

const { recorded: allowed } = JSON.parse(readFileSync(new URL('ratchet.json', import.meta.url), 'utf8')) as {
  readonly recorded: Readonly<Record<string, number>>;
};

describe('answers to generated requests, compared with kube-apiserver 1.36.3', () => {
  let found: readonly Difference[] = [];
  let again: readonly Difference[] = [];

  beforeAll(async () => {
    const kinds = parityKinds();
    await using embedded = await EmbeddedServer.start();
    const target = await ParityTarget.prepare(embedded, kinds);
    found = await findDifferences(readAnswers(recordedFile), { target, kinds });
    again = await findDifferences(readAnswers(fixedFile), { target, kinds });
    expect(embedded.errors).toEqual([]);
  });

  // To write the current counts and an example of each cause, run
  // `node test/parity/main.mjs --update --out differences.jsonl`.
  it('differ by each cause at most as often as ratchet.json allows', () => {
    const more = Object.entries(countCauses(found)).filter(([cause, count]) => count > (allowed[cause] ?? 0));
    expect(more).toEqual([]);
  });

  // `node test/parity/main.mjs --seed S --keep` adds requests to this file.
  it('do not differ again where they once differed', () => {
    expect(countCauses(again)).toEqual({});
  });

  it('contain no internal error where upstream returns none', () => {
    expect(found.filter(({ answer, ours }) => ours.status === 500 && answer.status !== 500)).toEqual([]);
  });
});
