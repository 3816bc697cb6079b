import {
  checkDns1123Subdomain,
  type FieldError,
  type FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type { Admissionregistrationv1ServiceReference, WebhookClientConfig } from '../generated/drafts.ts';
import { checkPortNumber } from '../validation/names.ts';

const form = '; desired format: https://host[/path]';

/** Validates the client configuration of a webhook: its URL or Service. Mirrors `util/webhook/validation.go` (1.36). */
export function webhookClientFaults({ url, service }: WebhookClientConfig, path: FieldPath): readonly FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [requiredField(path, 'exactly one of url or service is required')];
  }
  if (service !== undefined) return serviceFaults(service, path.child('service'));
  return urlFaults(url ?? '', path.child('url'));
}

function urlFaults(url: string, path: FieldPath): readonly FieldError[] {
  if (url.startsWith(':')) {
    const parsing = `parse ${JSON.stringify(url)}: missing protocol scheme`;
    return [requiredField(path, `url must be a valid URL: ${parsing}${form}`)];
  }
  const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(\?[^#]*)?(#.*)?$/i.exec(url) ?? [];
  const [, scheme = '', authority = '', query = '', fragment = ''] = parts;
  const at = authority.lastIndexOf('@');
  const faults: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    faults.push(invalidField(path, scheme, `'https' is the only allowed URL scheme${form}`));
  }
  if (authority.slice(at + 1) === '') faults.push(invalidField(path, '', `host must be specified${form}`));
  if (at >= 0) {
    faults.push(invalidField(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  }
  if (fragment.length > 1) {
    faults.push(invalidField(path, fragment.slice(1), 'fragments are not permitted in the URL'));
  }
  if (query.length > 1) {
    faults.push(invalidField(path, query.slice(1), 'query parameters are not permitted in the URL'));
  }
  return faults;
}

function serviceFaults(service: Admissionregistrationv1ServiceReference, path: FieldPath): readonly FieldError[] {
  const { name, namespace, port = 443, path: urlPath } = service;
  const faults: FieldError[] = [];
  // Upstream passes these two arguments in the wrong order, so it reports a missing namespace as `name` and a missing name as
  // `namespace`.
  if (!namespace) faults.push(requiredField(path.child('name')));
  if (!name) faults.push(requiredField(path.child('namespace')));
  const wrongPort = checkPortNumber(port);
  if (wrongPort.length > 0) {
    faults.push(invalidField(path.child('port'), port, `port is not valid: ${wrongPort.join(', ')}`));
  }
  return [...faults, ...pathFaults(urlPath ?? '', path.child('path'))];
}

function pathFaults(urlPath: string, path: FieldPath): readonly FieldError[] {
  if (urlPath === '' || urlPath === '/') return [];
  if (urlPath === '//') return [invalidField(path, urlPath, 'segment[0] may not be empty')];
  const faults: FieldError[] = [];
  if (!urlPath.startsWith('/')) faults.push(invalidField(path, urlPath, "must start with a '/'"));
  const steps = urlPath.slice(1).replace(/\/$/, '').split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') faults.push(invalidField(path, urlPath, `segment[${index}] may not be empty`));
    else {
      for (const detail of checkDns1123Subdomain(step)) {
        faults.push(invalidField(path, urlPath, `segment[${index}]: ${detail}`));
      }
    }
  }
  return faults;
}
