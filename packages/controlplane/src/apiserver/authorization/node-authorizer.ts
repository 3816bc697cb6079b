import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorizer.ts';
import { ruleAllows } from './policy-rule.ts';
import type { RbacIndex } from './rbac-index.ts';

/**
 * Gives members of `system:nodes` what the bootstrap ClusterRole `system:node` says. Unlike upstream's node authorizer
 * it keeps no graph: a node may read secrets of pods that run elsewhere.
 */
export class NodeAuthorizer implements Authorizer {
  readonly #index: RbacIndex;

  constructor(index: RbacIndex) {
    this.#index = index;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const { username, groups } = attributes.user;
    if (groups.includes('system:nodes') && username.startsWith('system:node:')) {
      const rules = this.#index.role('', { kind: 'ClusterRole', name: 'system:node' }) ?? [];
      if (rules.some((rule) => ruleAllows(rule, attributes))) return { decision: 'allow', reason: '' };
    }
    return { decision: 'no-opinion', reason: '' };
  }
}
