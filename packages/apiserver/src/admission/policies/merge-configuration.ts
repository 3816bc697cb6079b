import { type ApplyType, applyTypeOf, formOf } from '../../apply/apply-type.ts';
import { checkApplied } from '../../apply/check-applied.ts';
import { mergeObjects } from '../../apply/merge.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { Version } from '../webhooks/reviewed-request.ts';
import { MutationError } from './mutation-error.ts';

const types = new WeakMap<ResourceDefinition, ApplyType>();
const anything: ApplyType = applyTypeOf({ type: 'any' });

/**
 * Merges the configuration that a policy computed into the object, as a server-side apply does, but without field
 * ownership (`ApplyStructuredMergeDiff`, 1.36). The result shares structure with the object.
 *
 * @throws MutationError for undeclared fields, wrong types and atomic values
 */
export function mergeConfiguration(
  object: Draft,
  configuration: Readonly<Record<string, unknown>>,
  version: Version,
): unknown {
  const { definition, type: body } = version;
  const apiVersion = body.group === '' ? body.version : `${body.group}/${body.version}`;
  const applied = { ...configuration, apiVersion, kind: body.kind };
  // The definition has no schema for subresources of a different kind, such as Scale.
  const type = body.kind === definition.kind ? typeOf(definition) : anything;
  const fault = checkApplied(type, applied);
  if (fault !== undefined) {
    throw new MutationError(`error applying patch: failed to convert patch object to typed object: ${fault}`);
  }
  const atomic = atomicPaths(type, applied, '');
  if (atomic.length > 0) {
    const what = `may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`;
    throw new MutationError(`error applying patch: invalid ApplyConfiguration: ${what}`);
  }
  return mergeObjects(type, { ...object, apiVersion, kind: body.kind }, applied);
}

function typeOf(definition: ResourceDefinition): ApplyType {
  let type = types.get(definition);
  if (!type) {
    type = applyTypeOf(definition.schema, { typed: !definition.custom });
    types.set(definition, type);
  }
  return type;
}

/** Returns the paths of atomic values. Like upstream, skips the values of maps without declared fields. */
function atomicPaths(type: ApplyType, value: unknown, path: string): readonly string[] {
  const form = formOf(type, value);
  if (form === 'map' && type.map && typeof value === 'object' && value !== null) {
    const { map } = type;
    const below = Object.entries(value).flatMap(([name, one]) => {
      const field = map.fields.has(name) ? map.valueType(name) : undefined;
      return field ? atomicPaths(field, one, `${path}.${name}`) : [];
    });
    return map.atomic ? [path, ...below] : below;
  }
  if (form === 'list' && type.list && Array.isArray(value)) {
    const { list } = type;
    const below = value.flatMap((one, index) => atomicPaths(list.element, one, `${path}[${index}]`));
    return list.atomic ? [path, ...below] : below;
  }
  return [];
}
