import { StatusError } from '@kubewright/apimachinery';

/**
 * Thrown when the API server rejected a write because it could not call a webhook; the message names the webhook, the reason and
 * the remedy.
 */
export class UnreachableWebhookError extends Error {
  /** Identifies the class of failure; safe to retry: it ends when the webhook is served. */
  readonly code = 'KW3044';

  constructor(parts: {
    readonly what: string;
    readonly why: string;
    readonly remedy: string;
    readonly cause: unknown;
  }) {
    super(`${parts.what}\n  why: ${parts.why}\n  fix: ${parts.remedy}`, { cause: parts.cause });
    this.name = 'UnreachableWebhookError';
  }
}

/** Returns a clearer error if a webhook cannot be called, otherwise the same error: the server's messages are hard to read. */
export function explainUnreachable(error: unknown): unknown {
  if (!(error instanceof StatusError)) return error;
  const admission = /failed calling webhook "([^"]*)": (?:failed to call webhook: )?([\s\S]*)$/.exec(error.message);
  const conversion = /conversion webhook for ([^\s,]+), Kind=(\w+) failed: ([\s\S]*)$/.exec(error.message);
  if (admission) {
    const [, name = '', why = ''] = admission;
    const what = `nothing can be written that the webhook ${name} is asked about: the API server cannot call it`;
    return new UnreachableWebhookError({ what, why, remedy: remedyOf(why), cause: error });
  }
  if (!conversion) return error;
  const [, version = '', kind = '', why = ''] = conversion;
  const what = `nobody converts ${kind} of ${version}: the API server cannot call its webhook`;
  return new UnreachableWebhookError({ what, why, remedy: remedyOf(why), cause: error });
}

function remedyOf(why: string): string {
  const [, service = '', namespace] = /https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\b/.exec(why) ?? [];
  if (namespace === undefined) return 'start the operator that serves it, or delete its configuration';
  const look = `kubectl -n ${namespace} get pods,endpointslices`;
  return /x509|certificate/i.test(why)
    ? `the certificate behind ${service} is not trusted: has its operator (or cert-manager) written caBundle to the configuration? ${look}`
    : `check that the operator behind ${service} runs: ${look}; if it was removed permanently, delete its webhook configuration`;
}
