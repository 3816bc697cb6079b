import { childPath, type FieldProblem, invalid, required } from './field-problem.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';
import { isRecord } from './plain-data.ts';

type Check = (value: unknown, path: string, problems: FieldProblem[]) => void;

const kindPattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const kindRule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/**
 * Compiles the checks for `x-kubernetes-embedded-resource`: `apiVersion` and `kind` must be present and valid, and the
 * fields of `metadata` must have the right types. Returns `undefined` if the schema embeds no resource. The root
 * object's metadata is checked elsewhere, because that check is the same for all kinds.
 */
export function checkEmbeddedResources(schema: JsonSchema): Check | undefined {
  return compile(schema, true);
}

function compile(schema: JsonSchema, isRoot: boolean): Check | undefined {
  const properties = new Map<string, Check>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const check = compile(property, false);
    if (check !== undefined) properties.set(name, check);
  }
  const additionalSchema = additionalOf(schema);
  const additional = additionalSchema === undefined ? undefined : compile(additionalSchema, false);
  const itemSchema = itemsOf(schema);
  const items = itemSchema === undefined ? undefined : compile(itemSchema, false);
  const embedded = !isRoot && schema['x-kubernetes-embedded-resource'] === true;
  if (!embedded && properties.size === 0 && additional === undefined && items === undefined) return undefined;
  return (value, path, problems) => {
    if (Array.isArray(value)) {
      if (items !== undefined) for (let i = 0; i < value.length; i++) items(value[i], `${path}[${i}]`, problems);
      return;
    }
    if (!isRecord(value)) return;
    if (embedded) checkResource(value, path, problems);
    for (const key of Object.keys(value)) {
      const check = properties.get(key);
      if (check !== undefined) check(value[key], childPath(path, key), problems);
      else additional?.(value[key], `${path}[${key}]`, problems);
    }
  };
}

function checkResource(value: Readonly<Record<string, unknown>>, path: string, problems: FieldProblem[]): void {
  for (const name of ['apiVersion', 'kind']) {
    const field = childPath(path, name);
    const item = value[name];
    if (!Object.hasOwn(value, name)) problems.push(required(field));
    else if (typeof item !== 'string') problems.push(invalid(field, item, 'must be a string'));
    else if (item === '') problems.push(invalid(field, item, 'must not be empty'));
    else if (name === 'apiVersion' && item.split('/').length > 2) {
      problems.push(invalid(field, item, `unexpected GroupVersion string: ${item}`));
    } else if (name === 'kind' && !kindPattern.test(item.toLowerCase())) {
      problems.push(invalid(field, item, `may have mixed case, but should otherwise match: ${kindRule}`));
    }
  }
  if (Object.hasOwn(value, 'metadata')) checkMetadata(value['metadata'], childPath(path, 'metadata'), problems);
}

function checkMetadata(value: unknown, path: string, problems: FieldProblem[]): void {
  if (!isRecord(value)) {
    problems.push(invalid(path, value, 'must be an object'));
    return;
  }
  for (const field of ['labels', 'annotations']) {
    const map = value[field];
    if (map === undefined || map === null) continue;
    if (!isRecord(map) || Object.values(map).some((item) => typeof item !== 'string' && item !== null)) {
      const found = isRecord(map) ? Object.values(map).find((item) => typeof item !== 'string') : map;
      const kind = Array.isArray(found) ? 'array' : typeof found === 'boolean' ? 'bool' : typeof found;
      const type = isRecord(map) ? 'string' : 'map[string]string';
      const text = `json: cannot unmarshal ${kind} into Go struct field ObjectMeta.${field} of type ${type}`;
      problems.push(invalid(path, value, text));
    }
  }
}
