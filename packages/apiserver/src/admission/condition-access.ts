import type { AuthorizerValue } from '@kubewright/schema/internal';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.ts';
import type { AdmissionAttributes } from './admission-plugin.ts';

type AccessRequest = Parameters<AuthorizerValue['ask']>[0];
type AccessDecision = ReturnType<AuthorizerValue['ask']>;

/** Thrown by an expression that needs a decision the authorizer has not made yet. */
export class UnansweredError extends Error {
  readonly question: AccessRequest;

  constructor(question: AccessRequest) {
    super('the authorizer has not responded yet');
    this.name = 'UnansweredError';
    this.question = question;
  }
}

/**
 * The authorizer checks of one request's conditions. Expressions evaluate synchronously but the authorizer is asynchronous, so an
 * expression aborts at an unanswered check and is evaluated again once the decision is available.
 */
export class ConditionAccess {
  readonly requestResource: NonNullable<AccessRequest['resource']>;
  readonly #attributes: AdmissionAttributes;
  readonly #authorizer: Authorizer;
  readonly #answers = new Map<string, AccessDecision>();

  constructor(attributes: AdmissionAttributes, authorizer: Authorizer) {
    const { definition, subresource, namespace, name } = attributes;
    this.requestResource = { group: definition.group, resource: definition.resource, subresource, namespace, name };
    this.#attributes = attributes;
    this.#authorizer = authorizer;
  }

  /** @throws UnansweredError when {@link answer} must be awaited first. */
  readonly ask = (question: AccessRequest): AccessDecision => {
    const known = this.#answers.get(JSON.stringify(question));
    if (known) return known;
    throw new UnansweredError(question);
  };

  /** Fetches the authorizer's decision. */
  async answer(question: AccessRequest): Promise<void> {
    const { serviceAccount, verb, path, resource } = question;
    const attributes: AuthorizationAttributes = {
      user: serviceAccount ? serviceAccountUser(serviceAccount) : this.#attributes.user,
      verb,
      ...(path !== undefined && { path }),
      ...(resource && { resource: { ...resource, version: '*' } }),
    };
    const { decision, reason } = await this.#authorizer.authorize(attributes);
    this.#answers.set(JSON.stringify(question), { allowed: decision === 'allow', reason });
  }
}

function serviceAccountUser({ namespace, name }: NonNullable<AccessRequest['serviceAccount']>): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
}
