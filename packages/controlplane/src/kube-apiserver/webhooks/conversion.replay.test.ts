import { beforeAll, describe, expect, it } from 'vitest';
import { cleanUpBehind, comparable, recordedAnswers, withoutSettled } from '../testdata/plane-under-test.ts';
import { acceptedDifferences } from './testdata/accepted-differences.ts';
import { steps } from './testdata/conversion.mjs';
import { behaviors } from './testdata/conversion-behaviors.mjs';
import { playWithWebhooks, reviewsOf, type WebhookStepAnswer } from './testdata/webhook-replay.ts';

const recorded = recordedAnswers(new URL('./testdata/conversion-1.36.3.jsonl', import.meta.url)) as WebhookStepAnswer[];

describe('webhook conversion, as recorded from the real API server', () => {
  let answers: readonly WebhookStepAnswer[] = [];

  beforeAll(async () => {
    const played = await playWithWebhooks(steps, { behaviors, settle: cleanUpBehind });
    expect(played.errors).toEqual([]);
    answers = played.answers;
  }, 60_000);

  for (const [index, step] of steps.entries()) {
    const [method, path, body] = step;
    it(`${index}: ${method} ${path.slice(0, 100)} ${JSON.stringify(body ?? '').slice(0, 120)}`, () => {
      const want = comparable(withoutSettled(recorded[index] as WebhookStepAnswer, step));
      const got = answers[index] as WebhookStepAnswer;
      const difference = acceptedDifferences.conversion[index];
      if (difference === undefined) {
        expect(comparable(withoutSettled(got, step))).toEqual(want);
        return;
      }
      expect(comparable(withoutSettled(got, step)), `difference no longer exists: ${difference.why}`).not.toEqual(want);
      expect(got.status, difference.why).toBe(difference.status);
    });
  }

  // Upstream's caches also call the webhook, at unpredictable times. So upstream must have made each of our calls, but
  // we need not make all of upstream's calls.
  it('makes only webhook calls that the real server also makes', () => {
    const theirs = new Set(recorded.flatMap(({ received }) => reviewsOf(received)));
    const ours = new Set(answers.flatMap(({ received }) => reviewsOf(received)));
    expect(ours.size).toBeGreaterThan(25);
    expect([...ours].filter((review) => !theirs.has(review))).toEqual([]);
  });
});
