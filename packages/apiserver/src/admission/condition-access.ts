import { defined } from '@kubewright/apimachinery/internal';
import type { AuthorizerValue } from '@kubewright/schema/internal';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.ts';
import type { AdmissionAttributes } from './admission-plugin.ts';

type AccessRequest = Parameters<AuthorizerValue['authorize']>[0];
type AccessDecision = ReturnType<AuthorizerValue['authorize']>;

/** Thrown by an expression that needs a decision the authorizer has not made yet. */
export class UndecidedError extends Error {
  readonly request: AccessRequest;

  constructor(request: AccessRequest) {
    super('the authorizer has not responded yet');
    this.name = 'UndecidedError';
    this.request = request;
  }
}

/**
 * Performs the authorizer checks of one request's match conditions. Expressions are evaluated synchronously but the authorizer is
 * asynchronous, so an expression aborts at an undecided check and is evaluated again once the decision is available.
 */
export class ConditionAccess {
  readonly requestResource: NonNullable<AccessRequest['resource']>;
  readonly #attributes: AdmissionAttributes;
  readonly #authorizer: Authorizer;
  readonly #decisions = new Map<string, AccessDecision>();

  constructor(attributes: AdmissionAttributes, authorizer: Authorizer) {
    const { definition, subresource, namespace, name } = attributes;
    this.requestResource = { group: definition.group, resource: definition.resource, subresource, namespace, name };
    this.#attributes = attributes;
    this.#authorizer = authorizer;
  }

  /** @throws UndecidedError when {@link fetch} must be awaited first. */
  readonly authorize = (request: AccessRequest): AccessDecision => {
    const known = this.#decisions.get(JSON.stringify(request));
    if (known) return known;
    throw new UndecidedError(request);
  };

  /** Fetches the authorizer's decision. */
  async fetch(request: AccessRequest): Promise<void> {
    const { serviceAccount, verb, path, resource } = request;
    const attributes: AuthorizationAttributes = {
      user: serviceAccount ? serviceAccountUser(serviceAccount) : this.#attributes.user,
      verb,
      ...defined({ path }),
      ...(resource && { resource: { ...resource, version: '*' } }),
    };
    const { decision, reason } = await this.#authorizer.authorize(attributes);
    this.#decisions.set(JSON.stringify(request), { allowed: decision === 'allow', reason });
  }
}

function serviceAccountUser({ namespace, name }: NonNullable<AccessRequest['serviceAccount']>): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
}
