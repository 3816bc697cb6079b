import { replaySteps } from '../kube-apiserver/testdata/replay-steps.ts';
import { steps } from './testdata/subresources.mjs';

replaySteps({
  name: 'subresources of built-in kinds',
  steps,
  recorded: new URL('./testdata/subresources-1.36.3.jsonl', import.meta.url),
});
