import { Buffer } from 'node:buffer';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  type FieldError,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type { APIService } from '../generated/drafts.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { checkPathSegment, checkPortNumber } from '../validation/names.ts';

const maxGroupPriority = 20_000;
const maxVersionPriority = 1_000;

/** Validation of the apiregistration group. */
export const apiregistrationValidation: readonly ValidationEntry[] = [
  validationOf<APIService>('apiregistration.k8s.io/v1/apiservices', {
    // The core group's APIService is named `v1.`, which is not a DNS name.
    validateName: checkPathSegment,
    validate({ metadata, spec }) {
      const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec ?? {};
      const faults: FieldError[] = [];
      const name = `${version}.${group}`;
      if (metadata.name !== name) {
        const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`;
        faults.push(invalidField('metadata.name', metadata.name, detail));
      }
      if (group === '' && version !== 'v1') {
        faults.push(requiredField('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
      }
      if (group !== '')
        faults.push(...checkDns1123Subdomain(group).map((why) => invalidField('spec.group', group, why)));
      const wrong = checkDns1035Label(version);
      if (wrong.length > 0) faults.push(invalidField('spec.version', version, wrong.join(',')));
      faults.push(...priority(groupPriorityMinimum, { field: 'spec.groupPriorityMinimum', max: maxGroupPriority }));
      faults.push(...priority(versionPriority, { field: 'spec.versionPriority', max: maxVersionPriority }));
      return [...faults, ...serviceFaults(spec ?? {})];
    },
  }),
];

/** Validates the reference to the aggregated API server and its TLS settings. */
function serviceFaults({ service, caBundle = '', insecureSkipTLSVerify = false }: Spec): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (service === undefined) {
    if (caBundle !== '') {
      const size = `${Buffer.from(caBundle, 'base64').length} bytes`;
      faults.push(invalidField('spec.caBundle', size, 'local APIServices may not have a caBundle'));
    }
    if (insecureSkipTLSVerify) {
      const why = 'local APIServices may not have insecureSkipTLSVerify';
      faults.push(invalidField('spec.insecureSkipTLSVerify', insecureSkipTLSVerify, why));
    }
    return faults;
  }
  if (!service.namespace) faults.push(requiredField('spec.service.namespace'));
  if (!service.name) faults.push(requiredField('spec.service.name'));
  const { port = 443 } = service;
  const wrong = checkPortNumber(port);
  if (wrong.length > 0) {
    faults.push(invalidField('spec.service.port', port, `port is not valid: ${wrong.join(', ')}`));
  }
  if (insecureSkipTLSVerify && caBundle !== '') {
    faults.push(invalidField('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  }
  return faults;
}

type Spec = Partial<NonNullable<APIService['spec']>>;

function priority(
  value: number | undefined,
  { field, max }: { readonly field: string; readonly max: number },
): readonly FieldError[] {
  if (value !== undefined && value > 0 && value <= max) return [];
  return [invalidField(field, value ?? 0, `must be positive and less than ${max}`)];
}
