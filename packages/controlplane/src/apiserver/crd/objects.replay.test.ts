import { beforeAll, describe, expect, it } from 'vitest';
import { acceptedDifferences } from './testdata/accepted-differences.ts';
// @ts-expect-error: plain JavaScript, shared with the recorder
import { steps } from './testdata/objects.mjs';
import {
  cleanUpBehind,
  comparable,
  PlaneUnderTest,
  recordedAnswers,
  type Step,
  type StepAnswer,
  withoutSettled,
} from './testdata/plane-replay.ts';

const recorded = recordedAnswers(new URL('./testdata/objects-1.36.3.jsonl', import.meta.url));

describe('custom objects, as recorded from the real API server', () => {
  let answers: StepAnswer[] = [];

  beforeAll(async () => {
    await using plane = await PlaneUnderTest.start();
    answers = await plane.play(steps, cleanUpBehind(plane));
    expect(plane.errors).toEqual([]);
  });

  for (const [index, [method, path, body]] of (steps as readonly Step[]).entries()) {
    const step = steps[index];
    it(`${index}: ${method} ${path.slice(0, 100)} ${JSON.stringify(body ?? '').slice(0, 120)}`, () => {
      const want = recorded[index] as StepAnswer;
      const got = answers[index] as StepAnswer;
      const difference = acceptedDifferences.objects[index];
      if (difference) expect(got.status, difference.why).toBe(difference.status);
      else expect(comparable(withoutSettled(got, step))).toEqual(comparable(withoutSettled(want, step)));
    });
  }
});
