import type { AccessAnswer, AccessQuestion } from '@kubewright/schema';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.ts';
import type { AdmissionAttributes } from './admission-plugin.ts';

/** Thrown out of an expression that asked what the authorizer has not answered yet. */
export class UnansweredError extends Error {
  readonly question: AccessQuestion;

  constructor(question: AccessQuestion) {
    super('the authorizer has not answered yet');
    this.name = 'UnansweredError';
    this.question = question;
  }
}

/**
 * What the conditions on one request ask of the authorizer. Expressions are computed at a stroke while the authorizer takes
 * its time: an expression is left where it asks, and computed anew when there is an answer.
 */
export class ConditionAccess {
  readonly requestResource: NonNullable<AccessQuestion['resource']>;
  readonly #attributes: AdmissionAttributes;
  readonly #authorizer: Authorizer;
  readonly #answers = new Map<string, AccessAnswer>();

  constructor(attributes: AdmissionAttributes, authorizer: Authorizer) {
    const { definition, subresource, namespace, name } = attributes;
    this.requestResource = { group: definition.group, resource: definition.resource, subresource, namespace, name };
    this.#attributes = attributes;
    this.#authorizer = authorizer;
  }

  /** @throws UnansweredError when the answer has to be waited for, by {@link answer}. */
  readonly ask = (question: AccessQuestion): AccessAnswer => {
    const known = this.#answers.get(JSON.stringify(question));
    if (known) return known;
    throw new UnansweredError(question);
  };

  /** Gets an answer. */
  async answer(question: AccessQuestion): Promise<void> {
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

function serviceAccountUser({ namespace, name }: NonNullable<AccessQuestion['serviceAccount']>): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
}
