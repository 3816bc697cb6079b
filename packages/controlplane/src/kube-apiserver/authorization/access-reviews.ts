import {
  badRequest,
  FieldSelector,
  FieldSelectorError,
  invalid,
  invalidField,
  type KubernetesObject,
} from '@kubewright/apimachinery';
import type { AuthorizationAttributes, Authorizer, Draft, UserInfo } from '@kubewright/apiserver';
import type { VirtualResource } from '@kubewright/apiserver/internal';
import type { RbacIndex } from './rbac-index.ts';

interface FieldSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

interface ReviewSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly namespace?: string;
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly verb?: string;
    readonly group?: string;
    readonly version?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly fieldSelector?: FieldSelectorAttributes;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

/** Returns the handlers of the authorization.k8s.io/v1 reviews, by resource name. Reviews are not stored. */
export function accessReviews(options: {
  readonly authorizer: Authorizer;
  readonly index: RbacIndex;
}): ReadonlyMap<string, VirtualResource> {
  const { authorizer, index } = options;
  const review = async (object: Draft, user: UserInfo, namespace?: string): Promise<KubernetesObject> => {
    const { decision, reason } = await authorizer.authorize(attributesOf(specOf(object), user, namespace));
    const status = {
      allowed: decision === 'allow',
      ...(decision === 'deny' && { denied: true }),
      ...(reason && { reason }),
    };
    return { ...object, metadata: object.metadata as KubernetesObject['metadata'], status } as KubernetesObject;
  };
  return new Map<string, VirtualResource>([
    ['selfsubjectaccessreviews', { create: ({ object, user }) => review(object, user) }],
    ['subjectaccessreviews', { create: ({ object }) => review(object, subjectOf(specOf(object))) }],
    [
      'localsubjectaccessreviews',
      {
        create: async ({ object, namespace }) => {
          const requested = specOf(object).resourceAttributes?.namespace ?? '';
          if (requested !== namespace) {
            throw badRequest(`spec.resourceAttributes.namespace must match namespace: "${namespace}"`);
          }
          return review(object, subjectOf(specOf(object)), namespace);
        },
      },
    ],
    ['selfsubjectrulesreviews', { create: async ({ object, user }) => rulesReview(object, user, index) }],
  ]);
}

function specOf(object: Draft): ReviewSpec {
  return (object['spec'] as ReviewSpec | undefined) ?? {};
}

function subjectOf(spec: ReviewSpec): UserInfo {
  if (!spec.user && (spec.groups?.length ?? 0) === 0)
    throw badRequest('at least one of user or group must be specified');
  return { username: spec.user ?? '', uid: spec.uid, groups: spec.groups ?? [], extra: spec.extra };
}

function attributesOf(spec: ReviewSpec, user: UserInfo, namespace?: string): AuthorizationAttributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if ((resource === undefined) === (path === undefined)) {
    // Upstream's error leaves the kind empty.
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    const fault = invalidField('spec.resourceAttributes', resource ?? null, detail);
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [fault]);
  }
  if (resource === undefined) return { user, verb: path?.verb ?? '', path: path?.path ?? '' };
  return {
    user,
    verb: resource.verb ?? '',
    resource: {
      group: resource.group ?? '',
      version: resource.version ?? '',
      resource: resource.resource ?? '',
      subresource: resource.subresource ?? '',
      namespace: namespace ?? resource.namespace ?? '',
      name: resource.name ?? '',
      fieldSelector: fieldSelectorOf(resource.fieldSelector),
    },
  };
}

/** Parses a field selector. Ignores a selector that cannot be parsed, and requirements that a field selector cannot express. */
function fieldSelectorOf({ rawSelector, requirements = [] }: FieldSelectorAttributes = {}): FieldSelector | undefined {
  try {
    if (rawSelector) return FieldSelector.parse(rawSelector);
  } catch (error) {
    if (error instanceof FieldSelectorError) return undefined;
    throw error;
  }
  const known = requirements.flatMap(({ key, operator, values = [] }): FieldSelector['requirements'] => {
    const [value] = values;
    if (value === undefined || values.length !== 1) return [];
    if (operator === 'In') return [{ field: key, operator: '=', value }];
    return operator === 'NotIn' ? [{ field: key, operator: '!=', value }] : [];
  });
  return known.length === 0 ? undefined : FieldSelector.of(...known);
}

function rulesReview(object: Draft, user: UserInfo, index: RbacIndex): KubernetesObject {
  const namespace = specOf(object).namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = [...index.rulesFor(user, namespace)].map(({ rule }) => rule);
  const status = {
    resourceRules: rules.filter(({ resources }) => (resources?.length ?? 0) > 0),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => (nonResourceURLs?.length ?? 0) > 0),
    incomplete: false,
  };
  // As in upstream, the response has an empty spec.
  return { ...object, metadata: object.metadata as KubernetesObject['metadata'], spec: {}, status } as KubernetesObject;
}
