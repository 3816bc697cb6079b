import { beforeAll, describe, expect, it } from 'vitest';
import {
  comparable,
  PlaneUnderTest,
  recordedAnswers,
  type Step,
  type StepAnswer,
} from '../crd/testdata/plane-replay.ts';
// @ts-expect-error: plain JavaScript, shared with the recorder
import { steps } from './testdata/security.mjs';

const recorded = recordedAnswers(new URL('./testdata/security-1.36.3.jsonl', import.meta.url));

/** What upstream says by its own numbers, or in Go's words. */
const accepted: Readonly<Record<number, number>> = { 26: 200, 27: 400 };

/** Nobody reads who owns the fields of a question that is not kept. */
function withoutOwners(answer: StepAnswer): StepAnswer {
  if (!answer.text.includes('Review"')) return answer;
  const body = JSON.parse(answer.text);
  delete body.metadata?.managedFields;
  return { ...answer, text: JSON.stringify(body) };
}

describe('admission and access, as recorded from the real API server', () => {
  let answers: StepAnswer[] = [];

  beforeAll(async () => {
    await using plane = await PlaneUnderTest.start();
    answers = await plane.play(steps);
    expect(plane.errors).toEqual([]);
  });

  for (const [index, [method, path, body]] of (steps as readonly Step[]).entries()) {
    it(`${index}: ${method} ${path.slice(0, 100)} ${JSON.stringify(body ?? '').slice(0, 120)}`, () => {
      const want = recorded[index] as StepAnswer;
      const got = answers[index] as StepAnswer;
      if (accepted[index] !== undefined) expect(got.status).toBe(accepted[index]);
      else expect(comparable(withoutOwners(got))).toEqual(comparable(withoutOwners(want)));
    });
  }
});
