import type { CelEnvironment } from '@kubewright/schema';
import type { Storage } from '../../storage/index.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { MutatingWebhooks } from './mutating-webhooks.ts';
import { ValidatingWebhooks } from './validating-webhooks.ts';
import { WebhookMetrics } from './webhook-metrics.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';
import { WebhookSource } from './webhook-source.ts';

/** The admission webhooks of a server: the stored configurations, the plugins that call the webhooks, and their metrics. */
export class AdmissionWebhooks implements Disposable {
  readonly metrics: WebhookMetrics = new WebhookMetrics();
  readonly #mutating: WebhookSource;
  readonly #validating: WebhookSource;

  constructor(environment: CelEnvironment) {
    this.#mutating = new WebhookSource('mutatingwebhookconfigurations', environment);
    this.#validating = new WebhookSource('validatingwebhookconfigurations', environment);
  }

  /** Returns the plugins, in the order in which they run. */
  plugins(services: Omit<WebhookPluginOptions, 'metrics' | 'source'>): readonly AdmissionPlugin[] {
    const { metrics } = this;
    return [
      new MutatingWebhooks({ ...services, metrics, source: this.#mutating }),
      new ValidatingWebhooks({ ...services, metrics, source: this.#validating }),
    ];
  }

  /** Reads the stored configurations, then follows their changes. */
  async start(storage: Storage): Promise<void> {
    await this.#mutating.start(storage);
    await this.#validating.start(storage);
  }

  [Symbol.dispose](): void {
    this.#mutating[Symbol.dispose]();
    this.#validating[Symbol.dispose]();
  }
}
