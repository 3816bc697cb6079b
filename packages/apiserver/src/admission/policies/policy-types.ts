import type { LabelSelectorObject } from '@kubewright/apimachinery';
import type { WebhookRule } from '../webhooks/webhook.ts';

/** A rule that may be limited to objects with certain names. */
export interface NamedRule extends WebhookRule {
  readonly resourceNames?: readonly string[];
}

/** The requests that a policy or a binding applies to, with defaults filled in. */
export interface MatchResources {
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly resourceRules?: readonly NamedRule[];
  readonly excludeResourceRules?: readonly NamedRule[];
  readonly matchPolicy?: 'Exact' | 'Equivalent';
}

/** A stored ValidatingAdmissionPolicy. */
export interface PolicyObject {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly failurePolicy?: 'Fail' | 'Ignore';
    readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
    readonly matchConstraints?: MatchResources;
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations?: readonly PolicyValidation[];
    readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  };
}

/** A stored MutatingAdmissionPolicy. */
export interface MutatingPolicyObject {
  readonly metadata: { readonly name: string };
  readonly spec: Omit<PolicyObject['spec'], 'validations' | 'auditAnnotations'> & {
    readonly mutations: readonly PolicyMutation[];
    readonly reinvocationPolicy: 'Never' | 'IfNeeded';
  };
}

/** A change that a policy makes. */
export type PolicyMutation =
  | { readonly patchType: 'JSONPatch'; readonly jsonPatch: { readonly expression: string } }
  | { readonly patchType: 'ApplyConfiguration'; readonly applyConfiguration: { readonly expression: string } };

/** A validation rule of a policy. */
export interface PolicyValidation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** A stored ValidatingAdmissionPolicyBinding. */
export interface BindingObject {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly policyName: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
    readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[];
  };
}

/** The parameters that a binding passes to its policy. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelectorObject;
  readonly parameterNotFoundAction?: 'Allow' | 'Deny';
}
