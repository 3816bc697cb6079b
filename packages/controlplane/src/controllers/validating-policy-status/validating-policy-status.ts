import { ValidatingAdmissionPolicy } from '@kubewright/apimachinery/admissionregistration/v1';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { controller, enqueueMapped, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { checkPolicy } from './check-policy.ts';
import { servedKinds } from './served-kinds.ts';

const fieldManager = 'validatingadmissionpolicy-status';

/**
 * Type-checks the expressions of ValidatingAdmissionPolicies, and writes the errors to their status, once per generation. Mirrors
 * the `validatingadmissionpolicy-status-controller` (1.36).
 */
export function validatingPolicyStatus(): BuiltInController {
  return {
    account: 'validatingadmissionpolicy-status-controller',
    definition: controller({
      name: 'validatingadmissionpolicy-status',
      for: ValidatingAdmissionPolicy,
      // Watched only to read CRDs from the cache. As in upstream, a change to a CRD does not recheck any policy.
      watches: [
        watch(
          CustomResourceDefinition,
          enqueueMapped(() => []),
        ),
      ],
      async reconcile(policy, ctx) {
        const { name, generation = 0 } = policy.metadata;
        if (generation <= (policy.status?.observedGeneration ?? 0)) return;
        const warnings = checkPolicy(policy, servedKinds(ctx.cache.lister(CustomResourceDefinition).list()));
        const status = {
          observedGeneration: generation,
          typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
        };
        const apiVersion = 'admissionregistration.k8s.io/v1';
        await ctx.client
          .resource(ValidatingAdmissionPolicy)
          .status.apply(
            { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name }, status },
            { fieldManager, force: true, signal: ctx.signal },
          );
      },
    }),
  };
}
