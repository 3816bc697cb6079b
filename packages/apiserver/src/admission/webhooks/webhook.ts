import { LabelSelector, type LabelSelectorObject } from '@kubewright/apimachinery';
import type { CelEnvironment } from '@kubewright/schema';
import type { WebhookClientConfig } from '../../webhooks/webhook-client.ts';
import { MatchConditions } from '../match-conditions.ts';

/** A stored webhook (admissionregistration/v1), mutating or validating, with defaults filled in. */
export interface WebhookSpec {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** For mutating webhooks. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** The requests that a webhook reviews (`RuleWithOperations`). */
export interface WebhookRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** `pods`, `pods/status`, `pods/*`, `*`, or `*` followed by `/*` for everything. */
  readonly resources: readonly string[];
  readonly scope?: '*' | 'Cluster' | 'Namespaced';
}

/** A webhook with its selectors and conditions, which are parsed once, on first use. */
export class Webhook {
  readonly spec: WebhookSpec;
  /** Distinguishes webhooks with the same name in different configurations. */
  readonly id: string;
  /** Name of the webhook's configuration. */
  readonly configuration: string;
  readonly conditions: MatchConditions;
  #namespaceSelector: LabelSelector | undefined;
  #objectSelector: LabelSelector | undefined;

  constructor(
    spec: WebhookSpec,
    options: { readonly id: string; readonly configuration?: string; readonly environment: CelEnvironment },
  ) {
    this.spec = spec;
    this.id = options.id;
    this.configuration = options.configuration ?? '';
    this.conditions = new MatchConditions(spec.matchConditions ?? [], options.environment);
  }

  get namespaceSelector(): LabelSelector {
    this.#namespaceSelector ??= LabelSelector.ofObject(this.spec.namespaceSelector ?? {});
    return this.#namespaceSelector;
  }

  get objectSelector(): LabelSelector {
    this.#objectSelector ??= LabelSelector.ofObject(this.spec.objectSelector ?? {});
    return this.#objectSelector;
  }
}

/** Prepares the webhooks of one stored configuration, in their order. */
export function webhooksOf(
  configuration: {
    readonly metadata: { readonly name?: string | undefined };
    readonly webhooks?: readonly WebhookSpec[] | null;
  },
  environment: CelEnvironment,
): readonly Webhook[] {
  const { metadata, webhooks } = configuration;
  const { name = '' } = metadata;
  return (webhooks ?? []).map((spec, index) => {
    return new Webhook(spec, { id: `${name}/${spec.name}/${index}`, configuration: name, environment });
  });
}
