import { replaySteps } from '../kube-apiserver/testdata/replay-steps.ts';
import { steps } from './testdata/views.mjs';

replaySteps({
  name: 'views of built-in kinds',
  steps,
  recorded: new URL('./testdata/views-1.36.3.jsonl', import.meta.url),
});
