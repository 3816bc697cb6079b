import type { Step } from '../../kube-apiserver/testdata/plane-under-test.ts';

export declare const steps: readonly Step[];
