import { PathElement } from '@kubewright/apimachinery/internal';
import { isRecord } from '@kubewright/schema/internal';
import { type ApplyType, formOf, type ListType, type MapType } from './apply-type.ts';
import { ElementError, elementOf } from './list-elements.ts';

/**
 * Returns the faults of a configuration, or of a stored object, with upstream's messages (`structured-merge-diff` v6):
 * undeclared fields, wrong types, elements without keys, duplicates. Returns `undefined` if there are no faults.
 */
export function checkApplied(
  type: ApplyType,
  object: unknown,
  { allowsDuplicates = false }: { readonly allowsDuplicates?: boolean } = {},
): string | undefined {
  const faults: string[] = [];
  check(type, object, { prefix: '', faults, allowsDuplicates });
  if (faults.length <= 1) return faults[0];
  return ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n');
}

interface Walk {
  readonly prefix: string;
  readonly faults: string[];
  /** Accepts list elements with equal keys, which stored objects can have. */
  readonly allowsDuplicates: boolean;
}

function fault({ prefix, faults }: Walk, message: string): void {
  faults.push(prefix === '' ? message : `${prefix}: ${message}`);
}

function below(walk: Walk, element: PathElement): Walk {
  return { ...walk, prefix: walk.prefix + PathElement.format(element) };
}

function check(type: ApplyType, value: unknown, walk: Walk): void {
  const form = formOf(type, value);
  if (form === 'map' && type.map !== undefined) checkMap(type.map, value, walk);
  else if (form === 'list' && type.list !== undefined) checkList(type.list, value, walk);
  else checkScalar(type.scalar, value, walk);
}

function checkScalar(scalar: ApplyType['scalar'], value: unknown, walk: Walk): void {
  if (value === null) return;
  const shown = showGo(value);
  const plain = typeof value === 'string' || isNumber(value) || typeof value === 'boolean';
  if (scalar === 'numeric' && !isNumber(value)) {
    fault(walk, `expected numeric (int or float), got ${goTypeName(value)}`);
  } else if (scalar === 'string' && typeof value !== 'string') {
    fault(walk, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
  } else if (scalar === 'boolean' && typeof value !== 'boolean') {
    fault(walk, `expected boolean, got &{${shown}}`);
  } else if (scalar === 'untyped' && !plain) {
    fault(walk, `expected any scalar, got &{${shown}}`);
  }
}

function checkMap(type: MapType, value: unknown, walk: Walk): void {
  if (value === null) return;
  if (!isRecord(value)) {
    fault(walk, `expected map, got &{${showGo(value)}}`);
    return;
  }
  const earlier = walk.faults.length;
  for (const key of Object.keys(value)) {
    const next = below(walk, PathElement.field(key));
    const valueType = type.valueType(key);
    if (valueType === undefined) {
      // Upstream stops at an undeclared field, and forgets the other faults of the map.
      walk.faults.length = earlier;
      fault(next, 'field not declared in schema');
      return;
    }
    check(valueType, value[key], next);
  }
}

function checkList(type: ListType, value: unknown, walk: Walk): void {
  if (value === null) return;
  if (!Array.isArray(value)) {
    fault(walk, `expected list, got &{${showGo(value)}}`);
    return;
  }
  const seen = new Set<PathElement>();
  for (let i = 0; i < value.length; i++) {
    let element = PathElement.index(i);
    if (!type.atomic) {
      try {
        element = elementOf(type, value[i]);
      } catch (error) {
        if (!(error instanceof ElementError)) throw error;
        fault(walk, `element ${i}: ${error.message}`);
        return;
      }
      if (seen.has(element) && !walk.allowsDuplicates)
        fault(walk, `duplicate entries for key ${PathElement.format(element)}`);
      seen.add(element);
    }
    check(type.element, value[i], below(walk, element));
  }
}

/** Reports whether a value is a number. Integers beyond 2^53 are bigints. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

/** Formats a value like Go's `%#v`. */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (value === null) return 'interface {}(nil)';
  if (!isRecord(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${entries.join(', ')}}`;
}

function showGo(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(showGo).join(' ')}]`;
  if (!isRecord(value)) return value === null ? '<nil>' : String(value);
  return `map[${Object.keys(value)
    .sort()
    .map((key) => `${key}:${showGo(value[key])}`)
    .join(' ')}]`;
}
