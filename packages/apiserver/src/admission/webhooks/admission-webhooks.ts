import { type CelEnvironment, kubernetesEnvironment } from '@kubewright/schema';
import type { Storage } from '../../storage/index.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { MutatingPolicies } from '../policies/mutating-policies.ts';
import { MutatingPolicy } from '../policies/mutating-policy.ts';
import { PolicySource } from '../policies/policy-source.ts';
import type { MutatingPolicyObject, PolicyObject } from '../policies/policy-types.ts';
import { ValidatingPolicies } from '../policies/validating-policies.ts';
import { ValidatingPolicy } from '../policies/validating-policy.ts';
import { MutatingWebhooks } from './mutating-webhooks.ts';
import { ValidatingWebhooks } from './validating-webhooks.ts';
import { WebhookMetrics } from './webhook-metrics.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';
import { WebhookSource } from './webhook-source.ts';

/**
 * Provides the admission plugins that are configured through the API: webhooks and policies. Watches their stored
 * configurations and collects metrics.
 */
export class AdmissionWebhooks implements Disposable {
  readonly metrics: WebhookMetrics = new WebhookMetrics();
  readonly #mutating: WebhookSource;
  readonly #validating: WebhookSource;
  readonly #mutatingPolicies: PolicySource<MutatingPolicyObject, MutatingPolicy>;
  readonly #policies: PolicySource<PolicyObject, ValidatingPolicy>;

  constructor(environment: CelEnvironment) {
    this.#mutating = new WebhookSource('mutatingwebhookconfigurations', environment);
    this.#validating = new WebhookSource('validatingwebhookconfigurations', environment);
    const mutations = kubernetesEnvironment({ mutations: true });
    this.#mutatingPolicies = new PolicySource({
      kind: 'mutating',
      environment,
      policyOf: (stored: MutatingPolicyObject) => new MutatingPolicy(stored, mutations),
    });
    this.#policies = new PolicySource({
      kind: 'validating',
      environment,
      policyOf: (stored: PolicyObject) => new ValidatingPolicy(stored, environment),
    });
  }

  /** Returns the plugins, in the order in which they run. */
  plugins(services: Omit<WebhookPluginOptions, 'metrics' | 'source'>): readonly AdmissionPlugin[] {
    const { metrics } = this;
    return [
      new MutatingPolicies({ ...services, metrics, source: this.#mutatingPolicies }),
      new MutatingWebhooks({ ...services, metrics, source: this.#mutating }),
      new ValidatingPolicies({ ...services, metrics, source: this.#policies }),
      new ValidatingWebhooks({ ...services, metrics, source: this.#validating }),
    ];
  }

  /** Reads the stored configurations, then watches them for changes. */
  async start(storage: Storage): Promise<void> {
    await this.#mutating.start(storage);
    await this.#validating.start(storage);
    await this.#mutatingPolicies.start(storage);
    await this.#policies.start(storage);
  }

  [Symbol.dispose](): void {
    this.#mutating[Symbol.dispose]();
    this.#validating[Symbol.dispose]();
    this.#mutatingPolicies[Symbol.dispose]();
    this.#policies[Symbol.dispose]();
  }
}
