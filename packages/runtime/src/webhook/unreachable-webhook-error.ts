import { KubewrightError, StatusError } from '@kubewright/apimachinery';

/**
 * Thrown when the API server rejected a write because it could not call a webhook; the error names the webhook, the reason and
 * the remedy.
 */
export class UnreachableWebhookError extends KubewrightError {
  override readonly name = 'UnreachableWebhookError';
  /** Identifies the failure. Safe to retry: the failure ends when the webhook is served. */
  readonly code = 'KW3044';
}

/**
 * Replaces the server's error about a webhook that could not be called, which is hard to read; returns any other error
 * unchanged.
 */
export function explainUnreachable(error: unknown): unknown {
  if (!(error instanceof StatusError)) return error;
  const admission = /failed calling webhook "([^"]*)": (?:failed to call webhook: )?([\s\S]*)$/.exec(error.message);
  const conversion = /conversion webhook for ([^\s,]+), Kind=(\w+) failed: ([\s\S]*)$/.exec(error.message);
  if (admission) {
    const [, name = '', why = ''] = admission;
    const what = `writes are blocked because the API server cannot call the webhook ${name}`;
    return new UnreachableWebhookError({ what, why, remedy: remedyOf(why) }, { cause: error });
  }
  if (!conversion) return error;
  const [, version = '', kind = '', why = ''] = conversion;
  const what = `cannot convert ${kind} to ${version} because the API server cannot call its conversion webhook`;
  return new UnreachableWebhookError({ what, why, remedy: remedyOf(why) }, { cause: error });
}

function remedyOf(why: string): string {
  const [, service = '', namespace] = /https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\b/.exec(why) ?? [];
  if (namespace === undefined)
    return 'start the operator that serves this webhook, or delete the webhook configuration';
  const look = `kubectl -n ${namespace} get pods,endpointslices`;
  return /x509|certificate/i.test(why)
    ? `check that the operator behind Service ${service}, or cert-manager, has written a valid caBundle to the webhook configuration; run ${look} to see whether the operator is running`
    : `run ${look} to check that the operator behind Service ${service} is running; if this operator was removed permanently, delete its webhook configuration`;
}
