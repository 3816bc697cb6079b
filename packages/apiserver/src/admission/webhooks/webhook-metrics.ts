import { Counter, Histogram } from '../../metrics/metric-family.ts';
import { WebhookFailure, WebhookRejection } from './webhook-failure.ts';

/** The webhook, phase and operation of a call. */
export interface HookLabels {
  readonly name: string;
  readonly type: string;
  readonly operation: string;
}

/** The outcome of a call. */
export interface HookOutcome {
  readonly code: number;
  readonly rejected: boolean;
  readonly seconds?: number;
  readonly error?: unknown;
}

const maxCode = 600;

/** Metrics of admission webhook calls, under kube-apiserver's names (1.36). */
export class WebhookMetrics {
  readonly #total = new Counter(
    'apiserver_admission_webhook_request_total',
    'Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Codes greater than 600 are truncated to 600.',
  );
  readonly #duration = new Histogram('apiserver_admission_webhook_admission_duration_seconds', {
    help: 'Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    bounds: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  });
  readonly #rejections = new Counter(
    'apiserver_admission_webhook_rejection_count',
    'Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation.',
  );
  readonly #failOpen = new Counter(
    'apiserver_admission_webhook_fail_open_count',
    'Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
  );
  readonly #exclusions = new Counter(
    'apiserver_admission_match_condition_exclusions_total',
    'Admission match condition evaluation exclusions count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
  );
  readonly #conditionErrors = new Counter(
    'apiserver_admission_match_condition_evaluation_errors_total',
    'Admission match condition evaluation errors count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
  );

  /** Records a finished call. */
  called(labels: HookLabels, { code, rejected, seconds = 0, error }: HookOutcome): void {
    const shownCode = `${Math.min(code, maxCode)}`;
    const { name, type, operation } = labels;
    this.#total.add({ code: shownCode, name, operation, rejected: `${rejected}`, type });
    this.#duration.observe({ name, operation, rejected: `${rejected}`, type }, seconds);
    if (!rejected) return;
    const errorType =
      error instanceof WebhookFailure
        ? 'calling_webhook_error'
        : error instanceof WebhookRejection
          ? 'no_error'
          : 'apiserver_internal_error';
    const rejectionCode = errorType === 'apiserver_internal_error' ? '0' : shownCode;
    this.#rejections.add({ error_type: errorType, name, operation, rejection_code: rejectionCode, type });
  }

  /** Records an ignored failure. */
  failedOpen({ name, type }: HookLabels): void {
    this.#failOpen.add({ name, type });
  }

  /** Records that match conditions excluded a request. */
  excluded({ name, type, operation }: HookLabels): void {
    this.#exclusions.add({ kind: 'webhook', name, operation, type });
  }

  /** Records a failed condition. */
  conditionFailed({ name, type, operation }: HookLabels): void {
    this.#conditionErrors.add({ kind: 'webhook', name, operation, type });
  }

  /** Returns all metric families in the Prometheus text format. */
  render(): string {
    const families = [this.#total, this.#duration, this.#rejections, this.#failOpen];
    return [...families, this.#exclusions, this.#conditionErrors].map((family) => family.render()).join('');
  }
}
