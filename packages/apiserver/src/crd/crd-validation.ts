import {
  checkDns1035Label,
  checkDns1123Subdomain,
  type FieldError,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type { SchemaTools } from './compile-version.ts';
import { validateConversion } from './conversion-validation.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { validateVersions } from './version-validation.ts';

/** Returns all errors in a CRD, with upstream's messages (`apiextensions/validation`, 1.36). */
export function validateCrd(crd: CustomResourceDefinition, tools: SchemaTools): readonly FieldError[] {
  return [...validateName(crd), ...validateSpec(crd, { ...tools, old: undefined })];
}

function validateSpec(
  crd: CustomResourceDefinition,
  before: SchemaTools & { readonly old: CustomResourceDefinition | undefined },
): readonly FieldError[] {
  return [
    ...validateIdentity(crd),
    ...validateNames(crd),
    ...validateVersions(crd, before),
    ...validateConversion(crd),
  ];
}

function missingVersion(name: string): string {
  return `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
}

/**
 * Returns all errors in an updated CRD: the errors of {@link validateCrd}, and changes that are not allowed once a CRD is
 * established.
 */
export function validateCrdUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  tools: SchemaTools,
): readonly FieldError[] {
  const established = old.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  const faults = [...validateSpec(crd, { ...tools, old })];
  const { versions = [] } = crd.spec as Partial<CustomResourceDefinition['spec']>; // not validated yet
  const fixed = (field: string, now: unknown, before: unknown): void => {
    if (now !== before) faults.push(invalidField(field, now, 'field is immutable'));
  };
  if (established) {
    fixed('spec.scope', crd.spec.scope, old.spec.scope);
    fixed('spec.names.kind', crd.spec.names.kind, old.spec.names.kind);
  }
  fixed('spec.group', crd.spec.group, old.spec.group);
  fixed('spec.names.plural', crd.spec.names.plural, old.spec.names.plural);
  for (const [i, stored] of (old.status?.storedVersions ?? []).entries()) {
    if (versions.some(({ name }) => name === stored)) continue;
    faults.push(invalidField(`status.storedVersions[${i}]`, stored, missingVersion(stored)));
  }
  return faults;
}

function validateName({ metadata, spec }: CustomResourceDefinition): readonly FieldError[] {
  const { name } = metadata;
  if (!name || name === `${spec.names.plural}.${spec.group}`) return [];
  return [invalidField('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function validateIdentity({ metadata, spec }: CustomResourceDefinition): readonly FieldError[] {
  const { group, scope } = spec;
  const faults: FieldError[] = [];
  if (!group) faults.push(requiredField('spec.group'));
  else {
    const wrong = checkDns1123Subdomain(group);
    if (wrong.length > 0) faults.push(invalidField('spec.group', group, wrong.join(',')));
    else if (!group.includes('.'))
      faults.push(invalidField('spec.group', group, 'should be a domain with at least one dot'));
  }
  if (!scope) faults.push(requiredField('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced') {
    faults.push(unsupportedField('spec.scope', scope, ['Cluster', 'Namespaced']));
  }
  faults.push(...validateApproval(group, metadata.annotations?.['api-approved.kubernetes.io']));
  return faults;
}

/** Requires an approval annotation for groups under k8s.io and kubernetes.io, which are reserved for the community. */
function validateApproval(group: string, approval: string | undefined): readonly FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const field = 'metadata.annotations[api-approved.kubernetes.io]';
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const needed = 'protected groups must have approval annotation "api-approved.kubernetes.io"';
  if (!approval) return [requiredField(field, `${needed}, ${see}`)];
  if (approval.startsWith('unapproved') || /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(approval)) return [];
  const detail = `${needed} with either a URL or a reason starting with "unapproved", ${see}`;
  return [invalidField(field, approval, detail)];
}

function validateNames({ spec }: CustomResourceDefinition): readonly FieldError[] {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = spec.names;
  const faults: FieldError[] = [];
  const label = (field: string, value: string, { mixedCase = false } = {}): void => {
    if (!value) {
      faults.push(requiredField(field));
      return;
    }
    const wrong = checkDns1035Label(mixedCase ? value.toLowerCase() : value);
    const prefix = mixedCase ? 'may have mixed case, but should otherwise match: ' : '';
    if (wrong.length > 0) faults.push(invalidField(field, value, prefix + wrong.join(',')));
  };
  label('spec.names.plural', plural);
  label('spec.names.singular', singular);
  label('spec.names.kind', kind, { mixedCase: true });
  label('spec.names.listKind', listKind, { mixedCase: true });
  for (const [i, name] of shortNames.entries()) label(`spec.names.shortNames[${i}]`, name);
  if (kind && kind === listKind) {
    faults.push(invalidField('spec.names.listKind', listKind, 'kind and listKind may not be the same'));
  }
  for (const [i, name] of categories.entries()) label(`spec.names.categories[${i}]`, name);
  return faults;
}
