import type { CelEnvironment } from '@kubewright/schema';
import type { HookMatcher, MatchInput } from '../webhooks/hook-matcher.ts';
import type { Version } from '../webhooks/reviewed-request.ts';
import { Webhook } from '../webhooks/webhook.ts';
import type { MatchResources, NamedRule } from './policy-types.ts';

/** Rules that match every request, used for a binding without rules. */
const everything: readonly NamedRule[] = [
  { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] },
];

/**
 * The requests that a policy or binding applies to. They are matched like the rules of webhooks, plus resource names and
 * exclusions.
 */
export class ResourceMatch {
  readonly #match: MatchResources;
  readonly #options: { readonly id: string; readonly environment: CelEnvironment };
  #all: Webhook | undefined;
  #excluded: Webhook | undefined;

  constructor(match: MatchResources, options: { readonly id: string; readonly environment: CelEnvironment }) {
    this.#match = match;
    this.#options = options;
  }

  /**
   * Returns the version in which the policy evaluates the request, or undefined if the request does not match. @throws
   * StatusError 404 if the namespace does not exist
   */
  async version(matcher: HookMatcher, input: MatchInput): Promise<Version | undefined> {
    const { resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector } = this.#match;
    const name = input.attributes.name || (input.attributes.object?.metadata.name ?? '');
    if (excludeResourceRules.length > 0) {
      const excluded = this.#excluding(excludeResourceRules, name);
      if ((await matcher.match(excluded, input)) !== undefined) return undefined;
    }
    const rules = resourceRules.length === 0 ? everything : resourceRules;
    const selectors = { ...(namespaceSelector && { namespaceSelector }), ...(objectSelector && { objectSelector }) };
    if (hasNames(rules)) return matcher.match(this.#hook(named(rules, name), selectors), input);
    this.#all ??= this.#hook(rules, selectors);
    return matcher.match(this.#all, input);
  }

  #excluding(rules: readonly NamedRule[], name: string): Webhook {
    if (hasNames(rules)) return this.#hook(named(rules, name), {});
    this.#excluded ??= this.#hook(rules, {});
    return this.#excluded;
  }

  #hook(rules: readonly NamedRule[], selectors: Pick<MatchResources, 'namespaceSelector' | 'objectSelector'>): Webhook {
    const { matchPolicy = 'Equivalent' } = this.#match;
    const spec = {
      name: this.#options.id,
      clientConfig: {},
      admissionReviewVersions: [],
      rules,
      matchPolicy,
      ...selectors,
    };
    return new Webhook(spec, this.#options);
  }
}

function hasNames(rules: readonly NamedRule[]): boolean {
  return rules.some(({ resourceNames = [] }) => resourceNames.length > 0);
}

function named(rules: readonly NamedRule[], name: string): readonly NamedRule[] {
  return rules.filter(({ resourceNames = [] }) => resourceNames.length === 0 || resourceNames.includes(name));
}
