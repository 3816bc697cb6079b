import {
  checkDns1123Label,
  checkDns1123Subdomain,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type {
  CertificateSigningRequestCondition as Condition,
  CertificateSigningRequest as Request,
} from '../generated/drafts.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';

const RESOURCE = 'certificates.k8s.io/v1/certificatesigningrequests';
const SPEC = FieldPath.of('spec');
const CONDITIONS = FieldPath.of('status', 'conditions');
const CERTIFICATE = FieldPath.of('status', 'certificate');
const LEAST_SECONDS = 600;
const DECISIONS = ['Approved', 'Denied', 'Failed'];
const USAGES = [
  ...['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment'],
  ...['decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel'],
  ...['ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime'],
  ...['server auth', 'signing', 'timestamping'],
];

/** Validation of certificate signing requests: decisions are final, and each subresource may change only its part. */
export const certificateValidation: readonly ValidationEntry[] = [
  validationOf<Request>(RESOURCE, { validate: requestFaults, validateUpdate: changeFaults('main') }),
  validationOf<Request>(`${RESOURCE}/status`, { validate: requestFaults, validateUpdate: changeFaults('status') }),
  validationOf<Request>(`${RESOURCE}/approval`, { validate: requestFaults, validateUpdate: changeFaults('approval') }),
];

function requestFaults({ spec, status }: Request): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (!pemOf(spec.request).includes('-----BEGIN CERTIFICATE REQUEST-----')) {
    faults.push(invalidField(SPEC.child('request'), spec.request, 'PEM block type must be CERTIFICATE REQUEST'));
  }
  faults.push(...usageFaults(spec.usages ?? []), ...signerFaults(spec.signerName));
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < LEAST_SECONDS) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    faults.push(invalidField(SPEC.child('expirationSeconds'), spec.expirationSeconds, detail));
  }
  return [...faults, ...conditionFaults(status.conditions ?? [])];
}

function pemOf(base64: string | null | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('latin1');
}

function usageFaults(usages: readonly string[]): readonly FieldError[] {
  const path = SPEC.child('usages');
  if (usages.length === 0) return [requiredField(path)];
  return [
    ...usages.flatMap((usage, i) => (USAGES.includes(usage) ? [] : [unsupportedField(path.index(i), usage, USAGES)])),
    ...usages.flatMap((usage, i) => (usages.indexOf(usage) === i ? [] : [duplicate(path.index(i), usage)])),
  ];
}

function duplicate(path: FieldPath, value: string): FieldError {
  return { type: 'FieldValueDuplicate', field: String(path), body: `Duplicate value: ${JSON.stringify(value)}` };
}

function signerFaults(name: string): readonly FieldError[] {
  const path = SPEC.child('signerName');
  const [domain = '', label = '', ...more] = name.split('/');
  if (more.length > 0 || !name.includes('/')) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidField(path, name, form)];
  }
  const labels = domain.split('.');
  const faults = labels.flatMap((part) => faultsOfLabel(part, { domain, path, check: checkDns1123Label }));
  if (labels.length < 2) {
    faults.push(invalidField(path, domain, 'should be a domain with at least two segments separated by dots'));
  }
  const check = checkDns1123Subdomain;
  return [...faults, ...label.split('.').flatMap((part) => faultsOfLabel(part, { domain: label, path, check }))];
}

function faultsOfLabel(
  label: string,
  options: { readonly domain: string; readonly path: FieldPath; readonly check: (text: string) => readonly string[] },
): FieldError[] {
  const { domain, path, check } = options;
  return check(label).map((detail) =>
    invalidField(path, domain, `validating label ${JSON.stringify(label)}: ${detail}`),
  );
}

function conditionFaults(conditions: readonly Condition[]): readonly FieldError[] {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { type, status }] of conditions.entries()) {
    const path = CONDITIONS.index(i);
    const allowed = DECISIONS.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (!type) faults.push(requiredField(path.child('type')));
    else if (!status) faults.push(requiredField(path.child('status')));
    else if (!allowed.includes(status)) faults.push(unsupportedField(path.child('status'), status, allowed));
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (other !== undefined && seen.has(other)) {
      faults.push(invalidField(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (seen.has(type)) faults.push(duplicate(path.child('type'), type));
    seen.add(type);
  }
  return faults;
}

function changeFaults(view: 'main' | 'status' | 'approval') {
  return (request: Request, old: Request): readonly FieldError[] => {
    const count = ({ status }: Request, type: string): number =>
      (status.conditions ?? []).filter((condition) => condition.type === type).length;
    const faults = DECISIONS.filter((type) => count(request, type) < count(old, type)).map((type) =>
      forbiddenField(CONDITIONS, `updates may not remove a condition of type "${type}"`),
    );
    if (view !== 'approval') {
      const added = ['Approved', 'Denied'].filter((type) => count(request, type) > count(old, type));
      for (const type of added) {
        faults.push(forbiddenField(CONDITIONS, `updates may not add a condition of type "${type}"`));
      }
    }
    return [...faults, ...certificateFaults(request, { old, view })];
  };
}

function certificateFaults(
  { status }: Request,
  { old, view }: { readonly old: Request; readonly view: string },
): readonly FieldError[] {
  const before = old.status.certificate ?? '';
  if ((status.certificate ?? '') === before) return [];
  if (view !== 'status') return [forbiddenField(CERTIFICATE, 'updates may not set certificate content')];
  if (before !== '') return [forbiddenField(CERTIFICATE, 'updates may not modify existing certificate content')];
  if (pemOf(status.certificate).includes('-----BEGIN CERTIFICATE-----')) return [];
  return [invalidField(CERTIFICATE, '<certificate data>', 'must contain at least one CERTIFICATE PEM block')];
}
