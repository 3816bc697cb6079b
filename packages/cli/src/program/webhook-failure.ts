import type { Message } from './cli-error.ts';

/** Explains an API server error caused by a failed webhook call. Returns undefined for every other error. */
export function webhookFailure(message: string): Message | undefined {
  const admission = /failed calling webhook "([^"]*)": (?:failed to call webhook: )?([\s\S]*)$/.exec(message);
  const conversion = /conversion webhook for ([^\s,]+, Kind=\w+) failed: ([\s\S]*)$/.exec(message);
  const [, name = '', why = ''] = admission ?? conversion ?? [];
  if (name === '') return undefined;
  return {
    what: admission
      ? `the webhook ${name} cannot be called, and nothing that it is asked about can be written`
      : `nobody converts ${name.replace(', Kind=', ' ')}: its webhook cannot be called`,
    why: why.replace(/^KW7310 /, ''),
    remedy: remedyOf(why),
  };
}

function remedyOf(why: string): string {
  // Errors from dev already contain a remedy.
  if (why.startsWith('KW7310')) return 'mend the operator and save: kubewright dev shows what is wrong with it';
  const [, service, namespace] = /https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\b/.exec(why) ?? [];
  if (service === undefined) return 'start its operator: kubewright dev, or whatever serves that address';
  if (/x509|certificate/i.test(why))
    return `its certificate is not trusted yet: kubectl -n ${namespace} logs deployment/${service.replace(/webhook-service$/, 'controller-manager')}`;
  return `start its operator (kubewright deploy; kubectl -n ${namespace} get pods,endpointslices), or take its webhooks away: kubewright undeploy`;
}
