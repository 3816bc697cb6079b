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
  if (why.startsWith('KW7310')) return 'fix the operator and save; kubewright dev shows its error';
  const [, service, namespace] = /https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\b/.exec(why) ?? [];
  if (service === undefined) return 'start its operator with kubewright dev, or the server at that address';
  if (/x509|certificate/i.test(why))
    return `the certificate is not trusted yet; check the operator log: kubectl -n ${namespace} logs deployment/${service.replace(/webhook-service$/, 'controller-manager')}`;
  return `start its operator (kubewright deploy) and check kubectl -n ${namespace} get pods,endpointslices; or remove its webhooks: kubewright undeploy`;
}
