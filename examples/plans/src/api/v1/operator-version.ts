import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/** The order in which phases of a plan, or steps of a phase, run: one after another, or in parallel. */
export type Strategy = 'serial' | 'parallel';

/** A parameter that instances can set. */
export interface Parameter {
  readonly name: string;
  /** Value for instances that do not set the parameter. Without it, every instance must set the parameter. */
  readonly default?: string;
  /** @default string */
  readonly type?: 'string' | 'integer' | 'boolean';
  /** The plan that a change of the parameter starts. @default deploy */
  readonly trigger?: string;
}

/** Objects to apply. The step is complete when all of them are ready. */
export interface Step {
  readonly name: string;
  /** Manifests; `{{NAME}}` is replaced by a parameter. @listType atomic @items.type object @items.preserveUnknownFields */
  readonly resources: readonly unknown[];
}

/** A group of steps. */
export interface Phase {
  readonly name: string;
  /** @default serial */
  readonly strategy?: Strategy;
  /** @listType map @listMapKey name */
  readonly steps: readonly Step[];
}

/** A sequence of phases, such as an installation or an upgrade. */
export interface Plan {
  readonly name: string;
  /** @default serial */
  readonly strategy?: Strategy;
  /** @listType map @listMapKey name */
  readonly phases: readonly Phase[];
}

/** An operator defined by data. */
export interface OperatorVersionSpec {
  /** @listType map @listMapKey name */
  readonly parameters?: readonly Parameter[];
  /** The plan `deploy` installs an instance. @listType map @listMapKey name */
  readonly plans: readonly Plan[];
}

/** An operator without code: parameters, and plans that apply manifests. */
export const OperatorVersion = defineKind<OperatorVersionSpec>({
  group: 'plans.example.com',
  version: 'v1',
  kind: 'OperatorVersion',
});
export type OperatorVersion = ObjectOf<typeof OperatorVersion>;
