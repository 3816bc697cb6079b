import { beforeAll, describe, expect, it } from 'vitest';
import { comparable, recordedAnswers, withoutSettled } from '../testdata/plane-under-test.ts';
import { acceptedDifferences } from './testdata/accepted-differences.ts';
import { steps } from './testdata/admission.mjs';
import { behaviors } from './testdata/admission-behaviors.mjs';
import {
  comparableReceived,
  playWithWebhooks,
  type WebhookStepAnswer,
  withoutGeneratedNames,
} from './testdata/webhook-replay.ts';

const recorded = recordedAnswers(new URL('./testdata/admission-1.36.3.jsonl', import.meta.url)) as WebhookStepAnswer[];

describe('admission webhooks, as recorded from the real API server', () => {
  let answers: readonly WebhookStepAnswer[] = [];

  beforeAll(async () => {
    const played = await playWithWebhooks(steps, { behaviors });
    expect(played.errors).toEqual([]);
    answers = played.answers;
  }, 60_000);

  for (const [index, step] of steps.entries()) {
    const [method, path, body] = step;
    it(`${index}: ${method} ${path.slice(0, 100)} ${JSON.stringify(body ?? '').slice(0, 120)}`, () => {
      const want = recorded[index] as WebhookStepAnswer;
      const got = answers[index] as WebhookStepAnswer;
      const shown = (answer: WebhookStepAnswer): unknown => ({
        ...(comparable(withoutSettled(withoutGeneratedNames(answer), step)) as object),
        received: comparableReceived(withoutGeneratedNames(answer).received),
      });
      const difference = acceptedDifferences.admission[index];
      if (difference === undefined) {
        expect(shown(got)).toEqual(shown(want));
        return;
      }
      expect(shown(got), `difference no longer exists: ${difference.why}`).not.toEqual(shown(want));
      expect(got.status, difference.why).toBe(difference.status);
    });
  }
});
