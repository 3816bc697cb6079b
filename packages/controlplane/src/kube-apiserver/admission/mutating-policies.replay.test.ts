import { replaySteps } from '../testdata/replay-steps.ts';
import { steps } from './testdata/mutating-policies.mjs';

replaySteps({
  name: 'mutating admission policies',
  steps,
  recorded: new URL('./testdata/mutating-policies-1.36.3.jsonl', import.meta.url),
});
