import { checkDns1035Label, checkPathSegment, type FieldError, invalidField } from '@kubewright/apimachinery';
import type { APIService } from '../generated/drafts.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1_000;

/** Rules of the apiregistration group. */
export const apiregistrationValidation: readonly ValidationEntry[] = [
  validationOf<APIService>('apiregistration.k8s.io/v1/apiservices', {
    // The core group's is called `v1.`.
    validateName: checkPathSegment,
    validate({ metadata, spec }) {
      const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec ?? {};
      const faults: FieldError[] = [];
      const name = `${version}.${group}`;
      if (metadata.name !== name) {
        const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`;
        faults.push(invalidField('metadata.name', metadata.name, detail));
      }
      const wrong = checkDns1035Label(version);
      if (wrong.length > 0) faults.push(invalidField('spec.version', version, wrong.join(',')));
      faults.push(...priority(groupPriorityMinimum, { field: 'spec.groupPriorityMinimum', max: MAX_GROUP_PRIORITY }));
      faults.push(...priority(versionPriority, { field: 'spec.versionPriority', max: MAX_VERSION_PRIORITY }));
      return faults;
    },
  }),
];

function priority(
  value: number | undefined,
  { field, max }: { readonly field: string; readonly max: number },
): readonly FieldError[] {
  if (value !== undefined && value > 0 && value <= max) return [];
  return [invalidField(field, value ?? 0, `must be positive and less than ${max}`)];
}
