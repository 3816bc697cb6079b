import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorizer.ts';

/**
 * Runs authorizers in order; the first authorizer that allows or denies decides. If all return `no-opinion`, the
 * decision lists all their reasons.
 *
 * @example
 * ```ts
 * const authorizer = new UnionAuthorizer([superuserAuthorizer, roles]);
 * const attributes: AuthorizationAttributes = { user: { username: 'eve', groups: [] }, verb: 'get', path: '/metrics' };
 * const { decision, reason } = await authorizer.authorize(attributes);
 * ```
 */
export class UnionAuthorizer implements Authorizer {
  readonly #authorizers: readonly Authorizer[];

  constructor(authorizers: readonly Authorizer[]) {
    this.#authorizers = authorizers;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const reasons: string[] = [];
    for (const authorizer of this.#authorizers) {
      const decision = await authorizer.authorize(attributes);
      if (decision.decision !== 'no-opinion') return decision;
      if (decision.reason !== '') reasons.push(decision.reason);
    }
    return { decision: 'no-opinion', reason: reasons.join('\n') };
  }
}

/**
 * Allows `system:masters` everything. Put it before authorizers that check roles.
 *
 * @example
 * ```ts
 * const authorizer: Authorizer = new UnionAuthorizer([superuserAuthorizer, roles]);
 * ```
 */
export const superuserAuthorizer: Authorizer = {
  async authorize({ user }: AuthorizationAttributes): Promise<AuthorizationDecision> {
    return user.groups.includes('system:masters')
      ? { decision: 'allow', reason: '' }
      : { decision: 'no-opinion', reason: '' };
  },
};
