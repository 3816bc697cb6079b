import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorizer.ts';

/** Runs authorizers in order; the first that allows or denies decides. If none does, the decision lists all their reasons. */
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

/** Allows `system:masters` everything, before roles are checked. */
export const superuserAuthorizer: Authorizer = {
  async authorize({ user }: AuthorizationAttributes): Promise<AuthorizationDecision> {
    return user.groups.includes('system:masters')
      ? { decision: 'allow', reason: '' }
      : { decision: 'no-opinion', reason: '' };
  },
};
