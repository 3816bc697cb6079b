import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorizer.ts';

/** Asks authorizers in order; the first that allows or denies decides. */
export class UnionAuthorizer implements Authorizer {
  readonly #authorizers: readonly Authorizer[];

  constructor(authorizers: readonly Authorizer[]) {
    this.#authorizers = authorizers;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    for (const authorizer of this.#authorizers) {
      const decision = await authorizer.authorize(attributes);
      if (decision.decision !== 'no-opinion') return decision;
    }
    return { decision: 'no-opinion', reason: '' };
  }
}

/** Lets `system:masters` do everything, before roles are looked at. */
export const superuserAuthorizer: Authorizer = {
  async authorize({ user }: AuthorizationAttributes): Promise<AuthorizationDecision> {
    return user.groups.includes('system:masters')
      ? { decision: 'allow', reason: '' }
      : { decision: 'no-opinion', reason: '' };
  },
};
