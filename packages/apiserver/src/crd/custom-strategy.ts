import type { FieldError, KubernetesObject } from '@kubewright/apimachinery';
import { invalidField, requiredField } from '@kubewright/apimachinery';
import type { Draft, Strategy } from '../registry/strategy.ts';
import type { CompiledVersion } from './compile-version.ts';
import type { CrdSpec, CrdVersion } from './custom-resource-definition.ts';
import { scaleFaults } from './scale-faults.ts';

/** The input of the strategies for one version. */
export interface CustomStrategyParts {
  readonly spec: CrdSpec;
  readonly version: CrdVersion;
  readonly compiled: CompiledVersion;
  /** Called on creation. Returns an error if objects cannot be created now. */
  readonly rejectCreation: (name: string) => Error | undefined;
}

/** Returns the strategy for writing custom resources (`customresource.strategy` of apiextensions-apiserver, 1.36). */
export function customStrategy(parts: CustomStrategyParts): Strategy {
  const { compiled, version, rejectCreation } = parts;
  const hasStatus = version.subresources?.status !== undefined;
  return {
    generation: 'object',
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    applyDefaults: (object) => fillDefaults(object, compiled),
    prepareForCreate(object) {
      const rejection = rejectCreation(object.metadata.name ?? '');
      if (rejection) throw rejection;
      if (hasStatus) delete object['status'];
    },
    prepareForUpdate(object, old) {
      if (!hasStatus) return;
      const { status } = old as { status?: unknown };
      if (status === undefined) delete object['status'];
      else object['status'] = status;
    },
    validate: (object, { warn }) => allFaults(object, parts, { old: undefined, warn }),
    validateUpdate: (object, old, { warn }) => allFaults(object, parts, { old, warn }),
  };
}

/** Returns the strategy of the status subresource: only `status` changes, apart from the managed fields. */
export function customStatusStrategy(parts: CustomStrategyParts): Strategy {
  const { compiled } = parts;
  return {
    ...customStrategy(parts),
    prepareForUpdate(object, old) {
      const { status } = object;
      const managedFields = object.metadata['managedFields'];
      for (const field of Object.keys(object)) delete object[field];
      Object.assign(object, structuredCloneOf(old));
      if (status === undefined) delete object['status'];
      else object['status'] = status;
      if (managedFields === undefined) delete object.metadata['managedFields'];
      else object.metadata['managedFields'] = managedFields;
    },
    validateUpdate(object, old, { warn }) {
      const faults = statusFaults(compiled.schemaFaults(object, old));
      faults.push(...scaleFaults(object, parts.version.subresources?.scale, { of: 'status' }));
      return [...faults, ...compiled.ruleFaults(object, { old, known: faults, warn })];
    },
  };
}

function allFaults(
  object: KubernetesObject,
  parts: CustomStrategyParts,
  { old, warn }: { readonly old: KubernetesObject | undefined; readonly warn: (text: string) => void },
): readonly FieldError[] {
  const { compiled, version } = parts;
  const faults = [
    ...typeFaults(object, parts),
    ...compiled.schemaFaults(object, old),
    ...scaleFaults(object, version.subresources?.scale, { of: 'spec' }),
  ];
  return [...faults, ...compiled.ruleFaults(object, { old, known: faults, warn })];
}

/**
 * Keeps only errors in the status, and makes the paths in their messages relative to the status, as upstream's status
 * endpoint does.
 */
function statusFaults(faults: readonly FieldError[]): FieldError[] {
  return faults
    .filter(({ field }) => /^status(?:[.[]|$)/.test(field))
    .map((fault) => ({ ...fault, body: fault.body.replaceAll('status.', '') }));
}

function fillDefaults(object: Draft, { schema }: CompiledVersion): void {
  const filled = schema.applyDefaults(object);
  if (filled === object || typeof filled !== 'object' || filled === null) return;
  for (const field of Object.keys(object)) if (!(field in filled)) delete object[field];
  Object.assign(object, filled);
}

function typeFaults(object: KubernetesObject, { spec, version }: CustomStrategyParts): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (!object.kind) faults.push(requiredField('kind', `must be ${spec.names.kind}`));
  else if (object.kind !== spec.names.kind)
    faults.push(invalidField('kind', object.kind, `must be ${spec.names.kind}`));
  const expected = `${spec.group}/${version.name}`;
  if (object.apiVersion !== expected) faults.push(invalidField('apiVersion', object.apiVersion, `must be ${expected}`));
  return faults;
}

function structuredCloneOf(object: KubernetesObject): Record<string, unknown> {
  // Stored objects are plain JSON.
  return structuredClone(object) as unknown as Record<string, unknown>;
}
