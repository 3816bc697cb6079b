import type { Clock } from '@kubewright/apimachinery';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../authorization/authorizer.ts';
import { internalError } from '../http/failures.ts';
import { type ClusterClient, post } from './cluster-client.ts';
import { ReviewCache } from './review-cache.ts';

const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
/** `AllowCacheTTL` and `DenyCacheTTL` of upstream's `DelegatingAuthorizationOptions` (1.36). */
const ttlMs = 10_000;
/** Reviews with this many characters chosen by the requester are not cached, so that no client can fill the cache (1.36). */
const maxChosenCharacters = 10_000;
/** Paths that need no permission, so that a kubelet can probe the server (`AlwaysAllowPaths`). */
const openPaths = new Set(['/healthz', '/readyz', '/livez']);

interface ReviewStatus {
  readonly allowed?: boolean;
  readonly denied?: boolean;
  readonly reason?: string;
}

/**
 * Authorizes requests by sending SubjectAccessReviews to the cluster. Members of `system:masters` and requests to health checks
 * are allowed without a review. Mirrors the delegating authorizer (1.36).
 */
export class AccessReviewAuthorizer implements Authorizer {
  readonly #client: ClusterClient;
  readonly #clock: Clock;
  readonly #reviews: ReviewCache<ReviewStatus>;

  constructor(client: ClusterClient, { clock }: { readonly clock: Clock }) {
    this.#client = client;
    this.#clock = clock;
    this.#reviews = new ReviewCache(clock);
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const { user, path: requested } = attributes;
    if (user.groups.includes('system:masters')) return { decision: 'allow', reason: '' };
    if (requested !== undefined && openPaths.has(requested)) return { decision: 'allow', reason: '' };
    const spec = reviewSpec(attributes);
    const { allowed, denied, reason = '' } = await this.#review(spec, attributes);
    if (denied) return { decision: 'deny', reason };
    return { decision: allowed ? 'allow' : 'no-opinion', reason };
  }

  async #review(spec: object, attributes: AuthorizationAttributes): Promise<ReviewStatus> {
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const review = async (): Promise<ReviewStatus> => {
      const { status } = (await post(this.#client, { path, body, clock: this.#clock })) as { status?: ReviewStatus };
      return status ?? {};
    };
    try {
      const isCached = chosenCharacters(attributes) < maxChosenCharacters;
      return await this.#reviews.get(JSON.stringify(spec), { review, ttlMs: () => (isCached ? ttlMs : 0) });
    } catch (cause) {
      throw internalError(`cannot authorize the request: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
}

/** Returns the spec of the SubjectAccessReview for a request. */
function reviewSpec({ user, verb, resource, path: requested }: AuthorizationAttributes): object {
  const { username, uid, groups, extra } = user;
  const subject = { user: username, uid, groups, extra };
  if (resource === undefined) return { ...subject, nonResourceAttributes: { path: requested, verb } };
  const { fieldSelector, ...names } = resource;
  const requirements = fieldSelector?.requirements.map(({ field: key, operator, value }) => ({
    key,
    operator: operator === '!=' ? 'NotIn' : 'In',
    values: [value],
  }));
  const selector = requirements !== undefined && requirements.length > 0 && { fieldSelector: { requirements } };
  return { ...subject, resourceAttributes: { verb, ...names, ...selector } };
}

function chosenCharacters({ verb, resource, path: requested = '' }: AuthorizationAttributes): number {
  if (resource === undefined) return requested.length;
  const { namespace, group, version, resource: plural, subresource, name } = resource;
  return [namespace, verb, group, version, plural, subresource, name].join('').length;
}
