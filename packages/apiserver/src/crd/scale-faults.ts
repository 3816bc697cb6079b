import { type FieldError, invalidField, type KubernetesObject } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { CrdScale } from './custom-resource-definition.ts';

const maxReplicas = 2_147_483_647;

/** Returns the errors that prevent showing an object as a Scale, either in the spec or in the status. */
export function scaleFaults(
  object: KubernetesObject,
  scale: CrdScale | undefined,
  { of }: { readonly of: 'spec' | 'status' },
): readonly FieldError[] {
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const faults = of === 'spec' ? replicasFaults(object, specReplicasPath) : [];
  faults.push(...replicasFaults(object, statusReplicasPath, { absentStatus: of === 'spec' }));
  if (labelSelectorPath) faults.push(...selectorFaults(object, labelSelectorPath));
  return faults;
}

function replicasFaults(object: object, path: string, { absentStatus = false } = {}): FieldError[] {
  if (absentStatus && !Object.hasOwn(object, 'status')) return [];
  const { value, fault } = read(object, path, 'int64');
  if (fault) return [invalidField(path, 0, fault)];
  if (value === undefined) return [];
  const replicas = value as number;
  if (replicas < 0) return [invalidField(path, replicas, 'should be a non-negative integer')];
  if (replicas > maxReplicas) {
    return [invalidField(path, replicas, `should be less than or equal to ${maxReplicas}`)];
  }
  return [];
}

function selectorFaults(object: object, path: string): FieldError[] {
  const { fault } = read(object, path, 'string');
  return fault ? [invalidField(path, '', fault)] : [];
}

function read(object: object, path: string, type: 'int64' | 'string'): { value?: unknown; fault?: string } {
  let value: unknown = object;
  const keys = path.split('.').slice(1);
  for (const key of keys) {
    if (goType(value) !== map) return { fault: accessorError(path, value, map) };
    const fields = value as Readonly<Record<string, unknown>>;
    if (!Object.hasOwn(fields, key)) return {};
    value = fields[key];
  }
  return goType(value) === type ? { value } : { fault: accessorError(path, value, type) };
}

function accessorError(path: string, value: unknown, expected: string): string {
  const shown = value === null ? '<nil>' : typeof value === 'object' ? stringifyJson(value) : String(value);
  return `${path} accessor error: ${shown} is of the type ${goType(value)}, expected ${expected}`;
}

const map = 'map[string]interface{}';

/** Returns the type of a JSON value in Go's decoder. */
function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : map;
}
