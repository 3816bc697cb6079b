import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/** A reference to an OperatorVersion, and values for its parameters. */
export interface InstanceSpec {
  /** Name of the OperatorVersion. */
  readonly operatorVersion: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The progress of a plan, a phase or a step. */
export type Progress = 'Pending' | 'InProgress' | 'Complete' | 'Failed';

export interface StepStatus {
  readonly name: string;
  readonly progress: Progress;
  /** Reason why the step is not complete. */
  readonly message?: string;
}

export interface PhaseStatus {
  readonly name: string;
  readonly progress: Progress;
  /** @listType map @listMapKey name */
  readonly steps: readonly StepStatus[];
}

/** The progress of the current plan. After a crash, the operator continues from here. */
export interface InstanceStatus {
  /** Number of plans that were started. @integer */
  readonly run?: number;
  readonly plan?: string;
  readonly progress?: Progress;
  /** The parameters of the last run. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** @listType map @listMapKey name */
  readonly phases?: readonly PhaseStatus[];
  /** The generation that this status describes. @int64 */
  readonly observedGeneration?: number;
  /** Standard conditions. @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** An application installed by the plans of an OperatorVersion. */
export const Instance = defineKind<InstanceSpec, InstanceStatus>({
  group: 'plans.example.com',
  version: 'v1',
  kind: 'Instance',
  columns: [
    { name: 'Operator', type: 'string', jsonPath: '.spec.operatorVersion' },
    { name: 'Run', type: 'integer', jsonPath: '.status.run' },
    { name: 'Plan', type: 'string', jsonPath: '.status.plan' },
    { name: 'Progress', type: 'string', jsonPath: '.status.progress' },
  ],
});
export type Instance = ObjectOf<typeof Instance>;
