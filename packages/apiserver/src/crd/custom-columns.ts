import type { KubernetesObject } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { TableColumn } from '../registry/resource-definition.ts';
import { ageOf } from '../tables/age.ts';
import type { CrdColumn } from './custom-resource-definition.ts';
import { compileJsonPath, type JsonPath, JsonPathError } from './json-path.ts';

const nameColumn: TableColumn = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 };

/** The columns if a CRD defines none. */
const defaultColumns: readonly CrdColumn[] = [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }];

/**
 * Returns a custom resource's table columns: the name, then the columns of the CRD (`tableconvertor` of
 * apiextensions-apiserver).
 */
export function customColumns(columns: readonly CrdColumn[] | undefined): {
  readonly columns: readonly TableColumn[];
  readonly cells: (object: KubernetesObject, nowMs: number) => readonly unknown[];
} {
  const wanted = readers(columns) ?? readers(defaultColumns) ?? [];
  return {
    columns: [
      nameColumn,
      ...wanted.map(({ column: { name, type, format = '', description = '', priority = 0 } }) => {
        return { name, type, format, description, priority };
      }),
    ],
    cells: (object, nowMs) => [
      object.metadata.name,
      ...wanted.map(({ column, path }) => cell(column, path.read(object), nowMs)),
    ],
  };
}

/**
 * Compiles the columns. Like upstream, returns undefined, which means the default columns, if the list is empty or any
 * path is invalid.
 */
function readers(columns: readonly CrdColumn[] = []): readonly { column: CrdColumn; path: JsonPath }[] | undefined {
  try {
    return columns.length === 0
      ? undefined
      : columns.map((column) => ({ column, path: compileJsonPath(column.jsonPath) }));
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

function cell({ type }: CrdColumn, values: readonly unknown[], nowMs: number): unknown {
  const [first] = values;
  if (first === undefined || first === null) return null;
  switch (type) {
    case 'integer':
      if (typeof first === 'bigint') return first;
      return typeof first === 'number' ? Math.trunc(first) : null;
    case 'number':
      return typeof first === 'number' || typeof first === 'bigint' ? first : null;
    case 'boolean':
      return typeof first === 'boolean' ? first : null;
    case 'date':
      return typeof first === 'string' ? dateCell(first, nowMs) : null;
    default:
      return text(first);
  }
}

function dateCell(value: string, nowMs: number): string {
  return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, nowMs);
}

function text(value: unknown): string {
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}
