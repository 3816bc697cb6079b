import { cleanUpBehind, withoutSettled } from '../testdata/plane-under-test.ts';
import { replaySteps } from '../testdata/replay-steps.ts';
import { acceptedDifferences } from './testdata/accepted-differences.ts';
import { steps } from './testdata/objects.mjs';

replaySteps({
  name: 'custom objects',
  steps,
  recorded: new URL('./testdata/objects-1.36.3.jsonl', import.meta.url),
  differences: acceptedDifferences.objects,
  adjust: withoutSettled,
  settle: cleanUpBehind,
});
