import { replaySteps } from '../kube-apiserver/testdata/replay-steps.ts';
import { steps } from './testdata/job-statuses.mjs';

replaySteps({
  name: 'statuses of Jobs',
  steps,
  recorded: new URL('./testdata/job-statuses-1.36.3.jsonl', import.meta.url),
});
