import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
  type FieldError,
  forbiddenField,
  invalidField,
  type ObjectMeta,
  requiredField,
} from '@kubewright/apimachinery';
import { tooLongField, validateAnnotations } from '@kubewright/apimachinery/internal';
import type { ResourceDefinition } from './resource-definition.ts';
import type { Draft } from './strategy.ts';

const maxManagerCharacters = 128;
const nativeFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

type Metadata = Draft['metadata'];

/** Returns every error in a new object's metadata (`ValidateObjectMeta`, 1.36). */
export function validateMetadata(metadata: Metadata, definition: ResourceDefinition): FieldError[] {
  const errors: FieldError[] = [];
  const checkName = definition.strategy.validateName ?? checkDns1123Subdomain;
  const { name = '', namespace = '', generation } = metadata;
  const isPlain = definition.strategy.checksGenerateName === 'never';
  validateGenerateName(metadata, isPlain ? checkPathPrefix : checkName, errors);
  if (name === '') errors.push(requiredField('metadata.name', 'name or generateName is required'));
  else for (const detail of checkName(name)) errors.push(invalidField('metadata.name', name, detail));
  if (definition.scope === 'Cluster') {
    if (namespace !== '') errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  } else if (namespace === '') {
    errors.push(requiredField('metadata.namespace'));
  } else {
    for (const detail of checkDns1123Label(namespace))
      errors.push(invalidField('metadata.namespace', namespace, detail));
  }
  if (generation !== undefined && generation < 0) {
    errors.push(invalidField('metadata.generation', generation, 'must be greater than or equal to 0'));
  }
  validateCommon(metadata, errors);
  validateFinalizers(metadata.finalizers, definition, errors);
  validateManagedFields(metadata['managedFields'], errors);
  return errors;
}

/** Validates the start of a name that is part of a path. */
function checkPathPrefix(text: string): readonly string[] {
  return ['/', '%'].filter((illegal) => text.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}

function validateGenerateName(
  { generateName = '' }: Metadata,
  checkName: (name: string) => readonly string[],
  errors: FieldError[],
): void {
  if (generateName === '') return;
  // A generateName is only a prefix, so it may end with a dash, and be a dot where names are parts of paths.
  const example = /^\.+$/.test(generateName) ? `${generateName}a` : generateName.replace(/-$/, 'a');
  for (const detail of checkName(example)) {
    errors.push(invalidField('metadata.generateName', generateName, detail));
  }
}

/** Warns about new finalizers of a custom resource that are valid but not domain-qualified (1.36). */
export function warnOfFinalizers(
  { finalizers }: Metadata,
  old: ObjectMeta | undefined,
  warn: (text: string) => void,
): void {
  for (const finalizer of finalizers ?? []) {
    if (isQualifiedFinalizer(finalizer) || old?.finalizers?.includes(finalizer)) continue;
    warn(
      `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
  }
}

function isQualifiedFinalizer(finalizer: string): boolean {
  return finalizer.includes('/') || nativeFinalizers.has(finalizer);
}

/**
 * Returns every error in updated metadata (`ValidateObjectMetaUpdate`, 1.36). First copies from `old` the fields that a
 * client may omit or cannot change.
 */
export function validateMetadataUpdate(
  metadata: Metadata,
  old: ObjectMeta,
  options: { readonly definition: ResourceDefinition; readonly checksGenerateName: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  const { definition, checksGenerateName } = options;
  validateGenerateName(metadata, checkPathPrefix, errors);
  if (checksGenerateName)
    validateGenerateName(metadata, definition.strategy.validateName ?? checkDns1123Subdomain, errors);
  if (!metadata.uid && old.uid !== undefined) metadata.uid = old.uid;
  if (old.creationTimestamp != null) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  const immutableDetail = 'field is immutable';
  if (
    metadata.deletionGracePeriodSeconds !== undefined &&
    metadata.deletionGracePeriodSeconds !== old.deletionGracePeriodSeconds
  ) {
    errors.push(
      invalidField('metadata.deletionGracePeriodSeconds', metadata.deletionGracePeriodSeconds, immutableDetail),
    );
  }
  if (metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== old.deletionTimestamp) {
    errors.push(invalidField('metadata.deletionTimestamp', metadata.deletionTimestamp, immutableDetail));
  }
  if (old.deletionTimestamp !== undefined) validateNoNewFinalizers(metadata.finalizers, old.finalizers, errors);
  validateFinalizers(metadata.finalizers, definition, errors);
  if ((metadata.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalidField('metadata.generation', metadata.generation ?? 0, 'must not be decremented'));
  }
  immutable('name', metadata.name, { old: old.name, errors });
  if (definition.scope === 'Namespaced') immutable('namespace', metadata.namespace, { old: old.namespace, errors });
  immutable('uid', metadata.uid, { old: old.uid, errors });
  validateCommon(metadata, errors);
  validateManagedFields(metadata['managedFields'], errors);
  return errors;
}

function immutable(
  field: string,
  value: string | undefined,
  { old, errors }: { readonly old: string | undefined; readonly errors: FieldError[] },
): void {
  if ((value ?? '') !== (old ?? '')) {
    errors.push(invalidField(`metadata.${field}`, value ?? '', 'field is immutable'));
  }
}

function validateCommon(metadata: Metadata, errors: FieldError[]): void {
  const { labels, annotations } = metadata;
  if (labels) {
    for (const key of Object.keys(labels)) {
      for (const detail of checkQualifiedName(key)) errors.push(invalidField('metadata.labels', key, detail));
      const value = labels[key] ?? '';
      for (const detail of checkLabelValue(value)) errors.push(invalidField('metadata.labels', value, detail));
    }
  }
  if (annotations) errors.push(...validateAnnotations(annotations, 'metadata.annotations'));
  const owners = metadata['ownerReferences'];
  if (Array.isArray(owners)) validateOwnerReferences(owners, errors);
}

function validateOwnerReferences(owners: readonly unknown[], errors: FieldError[]): void {
  let controllers = 0;
  let firstController = '';
  for (const item of owners) {
    const owner = item as Readonly<Record<string, unknown>>; // decoding against the schema guarantees an object
    const { apiVersion = '', kind = '', name = '', uid = '', controller } = owner;
    const field = 'metadata.ownerReferences';
    if (apiVersion === '' || (typeof apiVersion === 'string' && /^[^/]*\/$|\/.*\//.test(apiVersion))) {
      errors.push(invalidField(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
    }
    if (kind === '') errors.push(invalidField(`${field}.kind`, kind, 'must not be empty'));
    if (name === '') errors.push(invalidField(`${field}.name`, name, 'must not be empty'));
    if (uid === '') errors.push(invalidField(`${field}.uid`, uid, 'must not be empty'));
    if (apiVersion === 'v1' && kind === 'Event') {
      errors.push(invalidField(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (controller !== true) continue;
    controllers++;
    if (controllers === 1) firstController = `${kind}/${name}`;
    else if (controllers === 2) {
      errors.push(
        invalidField(
          field,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${firstController} and ${kind}/${name}`,
        ),
      );
    }
  }
}

function validateFinalizers(
  finalizers: readonly string[] | undefined,
  { custom, group, strategy }: ResourceDefinition,
  errors: FieldError[],
): void {
  if (!finalizers || finalizers.length === 0) return;
  // Upstream serves CRDs from a separate server, which has no list of standard finalizers.
  const freelyNamed = custom || group === 'apiextensions.k8s.io' || strategy.allowsPlainFinalizers === true;
  const field = 'metadata.finalizers';
  for (const [index, finalizer] of finalizers.entries()) {
    for (const detail of checkQualifiedName(finalizer)) errors.push(invalidField(field, finalizer, detail));
    if (!freelyNamed && !isQualifiedFinalizer(finalizer)) {
      const detail = 'name is neither a standard finalizer name nor is it fully qualified';
      errors.push(invalidField(`${field}[${index}]`, finalizer, detail));
    }
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalidField(field, finalizers, detail));
  }
}

function validateNoNewFinalizers(
  finalizers: readonly string[] | undefined,
  old: readonly string[] | undefined,
  errors: FieldError[],
): void {
  const added = (finalizers ?? []).filter((finalizer) => !old?.includes(finalizer));
  if (added.length === 0) return;
  const list = [...new Set(added)].sort().map((finalizer) => JSON.stringify(finalizer));
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list.join(', ')}}`;
  errors.push(forbiddenField('metadata.finalizers', detail));
}

function validateManagedFields(entries: unknown, errors: FieldError[]): void {
  if (!Array.isArray(entries)) return;
  for (const [index, item] of entries.entries()) {
    const {
      operation = '',
      fieldsType = '',
      manager = '',
      subresource = '',
    } = item as Readonly<Record<string, string>>;
    const field = `metadata.managedFields[${index}]`;
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(invalidField(`${field}.operation`, operation, 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalidField(`${field}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
    }
    errors.push(...validateFieldManager(manager, `${field}.manager`));
    if (subresource.length > 256) errors.push(tooLongField(`${field}.subresource`, { max: 256 }));
  }
}

/** Validates a field manager's name: printable, at most 128 characters. */
export function validateFieldManager(manager: string, field = 'fieldManager'): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (manager.length > maxManagerCharacters) errors.push(tooLongField(field, { max: maxManagerCharacters }));
  let position = 0;
  for (const character of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      const detail = `invalid character U+${code} (at position ${position})`;
      errors.push(invalidField(field, manager, detail));
    }
    position += Buffer.byteLength(character);
  }
  return errors;
}
