import type { Step } from '../../testdata/plane-under-test.ts';

export declare const steps: readonly Step[];
