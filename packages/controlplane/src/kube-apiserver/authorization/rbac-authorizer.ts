import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '@kubewright/apiserver';
import { ruleAllows } from './policy-rule.ts';
import type { RbacIndex } from './rbac-index.ts';

/** Authorizes by roles and bindings (`rbac.RBACAuthorizer`, 1.36). A request is allowed if any rule allows it; rules cannot deny. */
export class RbacAuthorizer implements Authorizer {
  readonly #index: RbacIndex;

  constructor(index: RbacIndex) {
    this.#index = index;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    for (const { rule, origin } of this.#index.rulesFor(attributes.user, attributes.resource?.namespace ?? '')) {
      if (ruleAllows(rule, attributes)) return { decision: 'allow', reason: `RBAC: allowed by ${origin}` };
    }
    return { decision: 'no-opinion', reason: '' };
  }
}
