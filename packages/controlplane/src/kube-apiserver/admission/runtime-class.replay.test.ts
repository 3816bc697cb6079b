import { replaySteps } from '../testdata/replay-steps.ts';
import { steps } from './testdata/runtime-class.mjs';

replaySteps({
  name: 'pods with RuntimeClasses',
  steps,
  recorded: new URL('./testdata/runtime-class-1.36.3.jsonl', import.meta.url),
});
