import { KubewrightError } from '@kubewright/apimachinery';

/** The compiled path of a printer column or selectable field. */
export interface JsonPath {
  /** Returns all values at the path, in document order. */
  read(object: unknown): readonly unknown[];
}

/** Thrown for a JSON path that is invalid or not supported by the API. */
export class JsonPathError extends KubewrightError {
  override readonly name = 'JsonPathError';
  readonly code = 'KW5301';

  constructor(path: string, why: string) {
    super({ what: `invalid JSON path ${JSON.stringify(path)}`, why });
  }
}

type Step = (values: readonly unknown[]) => readonly unknown[];

const token =
  /\.?\[\?\(\s*@((?:\.[\w-]+)+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|(-?\d+|true|false))\s*\)\]|\.?\[(-?\d+)\]|\.?\[\*\]|\.?\['((?:[^'\\]|\\.)*)'\]|\.((?!\*)(?:[^\s.[\]\\'"]|\\.)+)|\.\*/gy;

/**
 * Compiles the subset of kubectl's JSONPath that CRDs use: fields, escaped dots, indexes, `[*]`, and equality filters such as
 * `.status.conditions[?(@.type=="Ready")].status`.
 *
 * @throws {@link JsonPathError} for any other path.
 */
export function compileJsonPath(path: string): JsonPath {
  const steps: Step[] = [];
  const scanner = new RegExp(token.source, token.flags);
  let position = 0;
  while (position < path.length) {
    scanner.lastIndex = position;
    const match = scanner.exec(path);
    if (match === null) throw new JsonPathError(path, `unexpected text at character ${position + 1}`);
    steps.push(stepOf(match));
    position = scanner.lastIndex;
  }
  if (steps.length === 0) throw new JsonPathError(path, 'the path is empty');
  return { read: (object) => steps.reduce<readonly unknown[]>((values, step) => step(values), [object]) };
}

function stepOf(match: RegExpExecArray): Step {
  const [, filterPath, operator, double, single, bare, index, quoted, field] = match;
  if (filterPath !== undefined) {
    const keys = filterPath.split('.').slice(1);
    const wanted = double ?? single ?? bare ?? '';
    return (values) =>
      values
        .flatMap(elements)
        .filter((element) => (String(keys.reduce(member, element)) === wanted) === (operator === '=='));
  }
  if (index !== undefined) {
    const number = Number(index);
    return (values) => values.flatMap((value) => (Array.isArray(value) ? present(value.at(number)) : []));
  }
  const name = quoted ?? field?.replace(/\\(.)/g, '$1');
  if (name === undefined) return (values) => values.flatMap(elements);
  return (values) => values.flatMap((value) => present(member(value, name)));
}

function elements(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function present(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}
