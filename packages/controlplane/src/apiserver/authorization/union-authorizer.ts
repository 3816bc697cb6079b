import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorizer.ts';

/** Asks authorizers in order; the first that allows or denies decides. Without one, all their reasons are told. */
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

/** Lets `system:masters` do everything, before roles are looked at. */
export const superuserAuthorizer: Authorizer = {
  async authorize({ user }: AuthorizationAttributes): Promise<AuthorizationDecision> {
    return user.groups.includes('system:masters')
      ? { decision: 'allow', reason: '' }
      : { decision: 'no-opinion', reason: '' };
  },
};
