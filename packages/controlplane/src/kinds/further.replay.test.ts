import type { StepAnswer } from '../kube-apiserver/testdata/plane-under-test.ts';
import { replaySteps } from '../kube-apiserver/testdata/replay-steps.ts';
import { steps } from './testdata/further.mjs';

/**
 * Normalizes rules reviews. Sorts the rules, which are in the random order of Go's maps. Drops managed fields, which
 * are irrelevant in an object that is not stored.
 */
function comparableRules(answer: StepAnswer): StepAnswer {
  if (!answer.text.includes('"SelfSubjectRulesReview"')) return answer;
  const body = JSON.parse(answer.text);
  delete body.metadata?.managedFields;
  for (const rules of [body.status?.resourceRules, body.status?.nonResourceRules]) {
    rules?.sort((a: Rule, b: Rule) => (identityOf(a) < identityOf(b) ? -1 : 1));
  }
  return { ...answer, text: JSON.stringify(body) };
}

type Rule = Readonly<Record<string, readonly string[]>>;

function identityOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}

replaySteps({
  name: 'bindings, access, tokens and certificate requests',
  steps,
  recorded: new URL('./testdata/further-1.36.3.jsonl', import.meta.url),
  adjust: comparableRules,
});
