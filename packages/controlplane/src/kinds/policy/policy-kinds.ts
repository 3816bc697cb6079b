import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { PodDisruptionBudget } from '../generated/drafts.ts';

/** Kinds of the policy group. */
export const policyKinds: readonly BuiltinKind[] = [
  builtinKind<PodDisruptionBudget>({
    resource: 'policy/v1/poddisruptionbudgets',
    struct: 'policyv1.PodDisruptionBudget',
    generation: 'spec',
    allowUnconditionalUpdate: false,
  }),
];
