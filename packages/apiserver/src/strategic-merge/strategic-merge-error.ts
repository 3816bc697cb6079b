import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown for a strategic merge patch that cannot be applied. The message and `httpStatus` match the API
 * server's (1.36): 400 for a malformed directive, 422 for lists of lists, 500 for everything else. Do not retry.
 */
export class StrategicMergeError extends KubewrightError {
  readonly code = 'KW5007';
  readonly httpStatus: 400 | 422 | 500;

  constructor(message: string, httpStatus: 400 | 422 | 500) {
    super({ what: message });
    this.name = 'StrategicMergeError';
    this.httpStatus = httpStatus;
  }
}

export function badFormat(what: 'primitive list' | 'retainKeys' | 'setElementOrder list'): StrategicMergeError {
  return new StrategicMergeError(`invalid patch format of ${what}`, 400);
}

export function internal(message: string): StrategicMergeError {
  return new StrategicMergeError(message, 500);
}

export function noMergeKey(element: unknown, key: string): StrategicMergeError {
  return internal(`map: ${printGo(element)} does not contain declared merge key: ${key}`);
}

export function wrongKind(expected: 'map' | 'list', actual: unknown): StrategicMergeError {
  const name = expected === 'map' ? 'map[string]interface {}' : '[]interface {}';
  return internal(`expected a ${name}, but received a ${goTypeName(actual)}`);
}

function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'boolean':
      return 'bool';
    default:
      return 'string';
  }
}

/** Formats plain data as Go's `%v` does: `map[name:a ports:[1 2]]`. */
export function printGo(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printGo).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const record = value as Record<string, unknown>; // not a list and not null
  const fields = Object.keys(record)
    .sort()
    .map((key) => `${key}:${printGo(record[key])}`);
  return `map[${fields.join(' ')}]`;
}
