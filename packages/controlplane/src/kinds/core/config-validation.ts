import { type FieldError, FieldPath, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import { sameJson, tooLongField } from '@kubewright/apimachinery/internal';
import { BodyReadError, parseJson } from '@kubewright/schema';
import type { ConfigMap, Secret } from '../generated/drafts.ts';
import { immutable } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { checkConfigMapKey } from '../validation/names.ts';

const maxBytes = 1_048_576;
const dataPath = FieldPath.of('data');
/** The keys that typed Secrets require. */
const requiredKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
  ['kubernetes.io/dockercfg', ['.dockercfg']],
  ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
]);
const accountName = 'kubernetes.io/service-account.name';

/** Validation of config maps and secrets. */
export const configValidation: readonly ValidationEntry[] = [
  validationOf<ConfigMap>('/v1/configmaps', {
    validate: configMapFaults,
    validateUpdate: (object, old) => immutableFaults(object, old, ['data', 'binaryData']),
  }),
  validationOf<Secret>('/v1/secrets', {
    validate: secretFaults,
    validateUpdate: (object, old) => [
      ...immutable(object.type, { old: old.type, path: FieldPath.of('type') }),
      ...immutableFaults(object, old, ['data']),
    ],
  }),
];

function configMapFaults({ data = {}, binaryData = {} }: ConfigMap): readonly FieldError[] {
  const faults: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    faults.push(...checkConfigMapKey(key).map((detail) => invalidField(dataPath.key(key), key, detail)));
    if (Object.hasOwn(binaryData, key))
      faults.push(invalidField(dataPath.key(key), key, 'duplicate of key present in binaryData'));
    bytes += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    faults.push(
      ...checkConfigMapKey(key).map((detail) => invalidField(FieldPath.of('binaryData').key(key), key, detail)),
    );
    bytes += Buffer.byteLength(value, 'base64');
  }
  // Upstream reports this error at an empty path.
  return bytes > maxBytes ? [...faults, tooLongField('[]', { max: maxBytes })] : faults;
}

function secretFaults({ metadata, type = '', data = {} }: Secret): readonly FieldError[] {
  const faults: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    faults.push(...checkConfigMapKey(key).map((detail) => invalidField(dataPath.key(key), key, detail)));
    bytes += Buffer.byteLength(value, 'base64');
  }
  if (bytes > maxBytes) faults.push(tooLongField(dataPath, { max: maxBytes }));
  for (const key of requiredKeys.get(type) ?? []) {
    if (!Object.hasOwn(data, key)) faults.push(requiredField(dataPath.key(key)));
    else faults.push(...dockerFaults(key, data[key] ?? ''));
  }
  if (type === 'kubernetes.io/basic-auth' && !Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password')) {
    faults.push(requiredField(dataPath.key('username')), requiredField(dataPath.key('password')));
  }
  if (type === 'kubernetes.io/service-account-token' && !metadata.annotations?.[accountName]) {
    faults.push(requiredField(FieldPath.of('metadata', 'annotations').key(accountName)));
  }
  return faults;
}

function dockerFaults(key: string, encoded: string): readonly FieldError[] {
  if (!key.startsWith('.docker')) return [];
  const detail = dockerFault(Buffer.from(encoded, 'base64').toString('utf8'));
  // The value is secret.
  return detail === undefined ? [] : [invalidField(dataPath.key(key), '<secret contents redacted>', detail)];
}

/** Returns Go's error for a docker configuration that is not a JSON object, or undefined. Accepts null, as Go does. */
function dockerFault(text: string): string | undefined {
  let value: unknown;
  try {
    ({ value } = parseJson(Buffer.from(text)));
  } catch (error) {
    if (!(error instanceof BodyReadError)) throw error;
    // Go replaces invalid Unicode.
    return error.problem === 'encoding' ? undefined : error.message;
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

function immutableFaults<T extends { readonly immutable?: boolean | undefined }>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
): readonly FieldError[] {
  if (!old.immutable) return [];
  const detail = 'field is immutable when `immutable` is set';
  const faults = object.immutable ? [] : [forbiddenField(FieldPath.of('immutable'), detail)];
  return [
    ...faults,
    ...fields
      // Unlike most kinds, an empty map is not the same as an absent one.
      .filter((name) => !sameJson(object[name], old[name]))
      .map((name) => forbiddenField(FieldPath.of(name), detail)),
  ];
}
