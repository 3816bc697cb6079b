import type { StepAnswer } from '../testdata/plane-under-test.ts';
import { replaySteps } from '../testdata/replay-steps.ts';
import { steps } from './testdata/security.mjs';

/** Removes the managed fields of reviews, because they do not matter in objects that are not stored. */
function withoutManagedFields(answer: StepAnswer): StepAnswer {
  if (!answer.text.includes('Review"')) return answer;
  const body = JSON.parse(answer.text);
  delete body.metadata?.managedFields;
  return { ...answer, text: JSON.stringify(body) };
}

const why = "upstream answers by its own numbers, or in Go's words";

replaySteps({
  name: 'admission and access',
  steps,
  recorded: new URL('./testdata/security-1.36.3.jsonl', import.meta.url),
  differences: { 26: { status: 200, why }, 27: { status: 400, why } },
  adjust: withoutManagedFields,
});
