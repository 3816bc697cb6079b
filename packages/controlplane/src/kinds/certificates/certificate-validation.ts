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
import { checkPathSegment } from '../validation/names.ts';

const resource = 'certificates.k8s.io/v1/certificatesigningrequests';
const specPath = FieldPath.of('spec');
const conditionsPath = FieldPath.of('status', 'conditions');
const certificatePath = FieldPath.of('status', 'certificate');
const minSeconds = 600;
const decisions = ['Approved', 'Denied', 'Failed'];
const knownUsages = [
  ...['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment'],
  ...['decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel'],
  ...['ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime'],
  ...['server auth', 'signing', 'timestamping'],
];

/** Validation of certificate signing requests: decisions are final, and each subresource may change only its own part. */
export const certificateValidation: readonly ValidationEntry[] = [
  validationOf<Request>(resource, {
    validateName: checkPathSegment,
    validate: requestFaults,
    validateUpdate: changeFaults('main'),
  }),
  validationOf<Request>(`${resource}/status`, { validate: requestFaults, validateUpdate: changeFaults('status') }),
  validationOf<Request>(`${resource}/approval`, { validate: requestFaults, validateUpdate: changeFaults('approval') }),
];

function requestFaults({ spec, status }: Request): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (!pemOf(spec.request).includes('-----BEGIN CERTIFICATE REQUEST-----')) {
    faults.push(invalidField(specPath.child('request'), spec.request, 'PEM block type must be CERTIFICATE REQUEST'));
  }
  faults.push(...usageFaults(spec.usages ?? []), ...signerFaults(spec.signerName));
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < minSeconds) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    faults.push(invalidField(specPath.child('expirationSeconds'), spec.expirationSeconds, detail));
  }
  return [...faults, ...conditionFaults(status.conditions ?? [])];
}

function pemOf(base64: string | null | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('latin1');
}

function usageFaults(usages: readonly string[]): readonly FieldError[] {
  const path = specPath.child('usages');
  if (usages.length === 0) return [requiredField(path)];
  return [
    ...usages.flatMap((usage, i) =>
      knownUsages.includes(usage) ? [] : [unsupportedField(path.index(i), usage, knownUsages)],
    ),
    ...usages.flatMap((usage, i) => (usages.indexOf(usage) === i ? [] : [duplicate(path.index(i), usage)])),
  ];
}

function duplicate(path: FieldPath, value: string): FieldError {
  return { type: 'FieldValueDuplicate', field: String(path), body: `Duplicate value: ${JSON.stringify(value)}` };
}

function signerFaults(name: string): readonly FieldError[] {
  const path = specPath.child('signerName');
  if (!name) return [requiredField(path)];
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
    const path = conditionsPath.index(i);
    const allowed = decisions.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (!type) faults.push(requiredField(path.child('type')));
    if (!status) faults.push(requiredField(path.child('status')));
    else if (!allowed.includes(status)) faults.push(unsupportedField(path.child('status'), status, allowed));
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (other !== undefined && seen.has(other)) {
      faults.push(invalidField(conditionsPath, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (seen.has(type)) faults.push(duplicate(path.child('type'), type));
    seen.add(type);
  }
  return faults;
}

function changeFaults(endpoint: 'main' | 'status' | 'approval') {
  return (request: Request, old: Request): readonly FieldError[] => {
    const count = ({ status }: Request, type: string): number =>
      (status.conditions ?? []).filter((condition) => condition.type === type).length;
    const faults = decisions
      .filter((type) => count(request, type) < count(old, type))
      .map((type) => forbiddenField(conditionsPath, `updates may not remove a condition of type "${type}"`));
    if (endpoint !== 'approval') {
      const added = ['Approved', 'Denied'].filter((type) => count(request, type) > count(old, type));
      for (const type of added) {
        faults.push(forbiddenField(conditionsPath, `updates may not add a condition of type "${type}"`));
      }
    }
    return [...faults, ...certificateFaults(request, { old, endpoint })];
  };
}

function certificateFaults(
  { status }: Request,
  { old, endpoint }: { readonly old: Request; readonly endpoint: string },
): readonly FieldError[] {
  const before = old.status.certificate ?? '';
  if ((status.certificate ?? '') === before) return [];
  if (endpoint !== 'status') return [forbiddenField(certificatePath, 'updates may not set certificate content')];
  if (before !== '') return [forbiddenField(certificatePath, 'updates may not modify existing certificate content')];
  if (pemOf(status.certificate).includes('-----BEGIN CERTIFICATE-----')) return [];
  return [invalidField(certificatePath, '<certificate data>', 'must contain at least one CERTIFICATE PEM block')];
}
