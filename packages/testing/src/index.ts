// Kept in the declarations, which refer to Node's types, so users need not list @types/node.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export { TestEnvironment, type TestNamespace } from '@kubewright/controlplane';
export { advance } from './clock/advance.ts';
export { kubernetesVersions } from './environment/kubernetes-versions.ts';
export type { CallPattern } from './faults/call-pattern.ts';
export { Faults } from './faults/faults.ts';
export { FakeInfrastructure } from './infrastructure/fake-infrastructure.ts';
export type { Matcher } from './matchers/matcher.ts';
export { toBeAbsent } from './matchers/to-be-absent.ts';
export { toBeOwnedBy } from './matchers/to-be-owned-by.ts';
export { toHaveCondition } from './matchers/to-have-condition.ts';
export { toHaveEvent } from './matchers/to-have-event.ts';
export { toHaveFinalizer } from './matchers/to-have-finalizer.ts';
export { type Expected, toMatch } from './matchers/to-match.ts';
export { TestOperator } from './operator/test-operator.ts';
export { consistently } from './wait/consistently.ts';
export { eventually } from './wait/eventually.ts';
export type { WaitOptions } from './wait/wait-options.ts';
export { type ReconcileReport, type ReconcileWorld, reconcileOnce } from './world/reconcile-once.ts';
