import { StatusError } from '@kubewright/apimachinery';
import type { Message } from './cli-error.ts';

/** Explains an API server error caused by a failed webhook call. Returns undefined for every other error. */
export function webhookFailure(message: string): Message | undefined {
  const admission = /failed calling webhook "([^"]*)": (?:failed to call webhook: )?([\s\S]*)$/.exec(message);
  const conversion = /conversion webhook for ([^\s,]+, Kind=\w+) failed: ([\s\S]*)$/.exec(message);
  const [, name = '', why = ''] = admission ?? conversion ?? [];
  if (name === '') return undefined;
  return {
    what: admission
      ? `writes are rejected because the API server cannot call the webhook ${name}`
      : `cannot call the conversion webhook for ${name.replace(', Kind=', ' ')}`,
    why: why.replace(/^KW7310 /, ''),
    remedy: remedyOf(why),
  };
}

/** True if the API server could not call a webhook. */
export function isWebhookFailure(error: unknown): boolean {
  return error instanceof StatusError && webhookFailure(error.status.message ?? '') !== undefined;
}

function remedyOf(why: string): string {
  // Errors from `dev` already contain a remedy.
  if (why.startsWith('KW7310')) return 'fix the error that kubewright dev shows, and save the file';
  const [, service, namespace] = /https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\b/.exec(why) ?? [];
  if (service === undefined)
    return 'start the operator of the webhook with kubewright dev, or start the server at the address of the webhook';
  if (/x509|certificate/i.test(why))
    return `wait until the API server trusts the certificate, or check the operator's log: kubectl -n ${namespace} logs deployment/${service.replace(/webhook-service$/, 'controller-manager')}`;
  return `start the operator of the webhook (kubewright deploy), and check kubectl -n ${namespace} get pods,endpointslices; or remove the operator and its webhooks: kubewright undeploy`;
}
