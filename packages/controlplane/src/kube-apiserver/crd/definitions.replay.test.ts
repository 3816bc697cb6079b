import { cleanUpBehind, withoutSettled } from '../testdata/plane-under-test.ts';
import { replaySteps } from '../testdata/replay-steps.ts';
import { acceptedDifferences } from './testdata/accepted-differences.ts';
import { steps } from './testdata/definitions.mjs';

replaySteps({
  name: 'definitions',
  steps,
  recorded: new URL('./testdata/definitions-1.36.3.jsonl', import.meta.url),
  differences: acceptedDifferences.definitions,
  adjust: withoutSettled,
  settle: cleanUpBehind,
});
