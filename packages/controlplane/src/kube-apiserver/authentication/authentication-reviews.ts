import { badRequest, type Clock, type KubernetesObject } from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { Draft, UserInfo } from '@kubewright/apiserver';
import type { VirtualResource } from '@kubewright/apiserver/internal';
import type { ServiceAccountAuthenticator } from './service-account-authenticator.ts';

/** Returns the authentication.k8s.io/v1 reviews by resource name: SelfSubjectReview and TokenReview. */
export function authenticationReviews(options: {
  readonly serviceAccounts: ServiceAccountAuthenticator;
  readonly clock: Clock;
}): ReadonlyMap<string, VirtualResource> {
  const { serviceAccounts, clock } = options;
  return new Map<string, VirtualResource>([
    ['selfsubjectreviews', { create: async ({ object, user }) => selfSubjectReview(object, user, clock) }],
    ['tokenreviews', { create: async ({ object }) => tokenReview(object, serviceAccounts) }],
  ]);
}

function selfSubjectReview(object: Draft, user: UserInfo, clock: Clock): KubernetesObject {
  const creationTimestamp = formatTime(clock.now());
  const response = {
    ...object,
    metadata: { ...object.metadata, creationTimestamp },
    status: { userInfo: wireUser(user) },
  };
  return response as KubernetesObject;
}

async function tokenReview(object: Draft, serviceAccounts: ServiceAccountAuthenticator): Promise<KubernetesObject> {
  const { token = '', audiences = [] } = (object['spec'] as { token?: string; audiences?: string[] } | undefined) ?? {};
  if (token === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const review = await serviceAccounts.review(token, audiences);
  const status = review
    ? { authenticated: true, user: wireUser(review.user), audiences: review.audiences }
    : { user: {}, error: 'invalid bearer token' };
  return { ...object, metadata: object.metadata as KubernetesObject['metadata'], status } as KubernetesObject;
}

function wireUser({ username, uid, groups, extra }: UserInfo): Record<string, unknown> {
  const withExtra = extra && Object.keys(extra).length > 0;
  return { username, ...(uid && { uid }), ...(groups.length > 0 && { groups }), ...(withExtra && { extra }) };
}
