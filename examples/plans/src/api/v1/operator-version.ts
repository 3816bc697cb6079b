import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/** How the members of a plan or a phase run. */
export type Strategy = 'serial' | 'parallel';

/** A setting of the operator's instances. */
export interface Parameter {
  readonly name: string;
  /** Missing for a parameter that every instance must set. */
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

/** Steps that belong together. */
export interface Phase {
  readonly name: string;
  /** @default serial */
  readonly strategy?: Strategy;
  /** @listType map @listMapKey name */
  readonly steps: readonly Step[];
}

/** The phases to run for one occasion. */
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
