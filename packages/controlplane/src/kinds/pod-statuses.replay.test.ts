import { replaySteps } from '../kube-apiserver/testdata/replay-steps.ts';
import { steps } from './testdata/pod-statuses.mjs';

replaySteps({
  name: 'statuses of pods',
  steps,
  recorded: new URL('./testdata/pod-statuses-1.36.3.jsonl', import.meta.url),
});
