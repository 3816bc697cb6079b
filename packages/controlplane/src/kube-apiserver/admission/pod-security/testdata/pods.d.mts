import type { CheckedPod, CheckedPodSpec } from '../security-check.ts';

/** A pod with the security level of its namespace. */
export interface SecurityPod {
  readonly level: string;
  readonly version?: string;
  readonly metadata?: NonNullable<CheckedPod['metadata']>;
  readonly spec: CheckedPodSpec;
}

export declare const securityPods: readonly SecurityPod[];
