import { type FieldError, type FieldPath, invalidField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import { csiDriverName } from '../storage/csi-validation.ts';
import type { Check } from '../validation/check.ts';

const maxId = 32;

const identifierForm =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

const identifier: Check<string> = (id = '', path) => [
  ...(id.length > maxId ? [tooLongField(path, { max: maxId })] : []),
  ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? [] : [invalidField(path, id, identifierForm)]),
];

/**
 * Validates the name of an attribute or capacity of a device: a C identifier with an optional domain, such as `example.com/model`.
 * Like upstream (1.36), accepts any name with several slashes.
 */
export const deviceQualifiedName: Check<string> = (name = '', path) => {
  const parts = name.split('/');
  const [domain = '', id = ''] = parts;
  if (parts.length === 1) return identifier(name, path);
  if (parts.length > 2) return [];
  return [
    ...(domain === '' ? [invalidField(path, '', 'the domain must not be empty')] : csiDriverName(domain, path)),
    ...(id === '' ? [invalidField(path, '', 'the name must not be empty')] : identifier(id, path)),
  ];
};

/** Validates the values and names of a map of attributes or capacities. Reports errors of a name at the map, as upstream does. */
export function qualifiedEntries<T>(check: Check<T>): Check<Record<string, T>> {
  return (map, path) =>
    Object.entries(map ?? {}).flatMap(([name, value]): readonly FieldError[] => [
      ...deviceQualifiedName(name, path),
      ...check(value, keyPath(path, name)),
    ]);
}

/** The longest key that a path shows: a domain, a slash and an identifier. */
const maxShownKey = 63 + 1 + maxId;

function keyPath(path: FieldPath, key: string): FieldPath {
  if (key.length <= maxShownKey) return path.key(key);
  const left = maxShownKey - '...'.length;
  return path.key(`${key.slice(0, Math.ceil(left / 2))}...${key.slice(key.length - Math.floor(left / 2))}`);
}
