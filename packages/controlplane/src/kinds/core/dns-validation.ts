import { checkDns1123Subdomain, type FieldError, invalidField, requiredField } from '@kubewright/apimachinery';
import type { PodSpec } from '../generated/drafts.ts';
import { type Check, each } from '../validation/check.ts';
import { ipAddress } from '../validation/ip.ts';

/** The limits of the C library's resolver. */
const maxNameservers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

/** Validates a search domain, which may contain underscores and end with a dot. */
const searchDomain: Check<string> = (value, path) => {
  const name = (value ?? '').replace(/\.$/, '');
  if (value === '.' || checkDns1123Subdomain(name.replaceAll('_', '-')).length === 0) return [];
  const part = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
  const detail =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character " +
    `(e.g. 'example.com', regex used for validation is '${part}(\\.${part})*')`;
  const tooLong = name.length > 253 ? [invalidField(path, name, 'must be no more than 253 characters')] : [];
  const matches = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/.test(name);
  return [...tooLong, ...(matches ? [] : [invalidField(path, name, detail)])];
};

/**
 * Validates the resolver configuration. With `dnsPolicy: None`, the configuration must name a server, because there is
 * no other configuration.
 */
export const dnsConfig: Check<PodSpec> = (spec, path) => {
  const at = path.child('dnsConfig');
  const config = spec?.dnsConfig;
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  if (spec?.dnsPolicy === 'None') {
    if (!config) return [requiredField(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    if (nameservers.length === 0) return [requiredField(at.child('nameservers'), detail)];
  }
  const list = at.child('searches');
  const faults: FieldError[] = [];
  if (nameservers.length > maxNameservers) {
    const detail = `must not have more than ${maxNameservers} nameservers`;
    faults.push(invalidField(at.child('nameservers'), nameservers, detail));
  }
  faults.push(...each(ipAddress)(nameservers, at.child('nameservers')));
  if (searches.length > maxSearches) {
    faults.push(invalidField(list, searches, `must not have more than ${maxSearches} search paths`));
  }
  if (searches.join(' ').length > maxSearchCharacters) {
    const detail = `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`;
    faults.push(invalidField(list, searches, detail));
  }
  faults.push(...each(searchDomain)(searches, list));
  for (const [index, { name }] of options.entries()) {
    if (!name) faults.push(requiredField(at.child('options').index(index), 'must not be empty'));
  }
  return faults;
};
