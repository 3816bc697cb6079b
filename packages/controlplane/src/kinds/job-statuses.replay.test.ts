import type { StepAnswer } from '../kube-apiserver/testdata/plane-under-test.ts';
import { replaySteps } from '../kube-apiserver/testdata/replay-steps.ts';
import { steps } from './testdata/job-statuses.mjs';

replaySteps({
  name: 'statuses of Jobs',
  steps,
  recorded: new URL('./testdata/job-statuses-1.36.3.jsonl', import.meta.url),
  adjust: withoutTemplates,
});

/** Removes the template from error messages about changes, because upstream prints it as a Go structure. */
function withoutTemplates(answer: StepAnswer): StepAnswer {
  const text = answer.text.replaceAll(
    /Invalid value: \{(?:(?!: field is immutable).)*\}: field is immutable/gs,
    'Invalid value: {}: field is immutable',
  );
  return { ...answer, text };
}
