/** A problem with a type, and its fix. */
export interface TypeFinding {
  readonly what: string;
  readonly why?: string;
  readonly fix: string;
}

/** Suggests a replacement for a type that JSON cannot represent. */
export function insteadOf(type: string): string {
  if (type === 'Date') return 'use string with the tag @dateTime';
  if (type === 'Quantity') return 'use string with the tag @quantity, and Quantity.parse to compute with the value';
  if (type === 'bigint') return 'use number | bigint: only integers beyond 2^53 are bigints';
  if (type === 'Map' || type === 'ReadonlyMap') return 'use Readonly<Record<string, …>>';
  if (type === 'Set' || type === 'ReadonlySet') return 'use a list with the tag @listType set';
  if (type === 'Uint8Array' || type === 'Buffer') return 'use string with the tag @format byte (base64)';
  if (type === 'URL') return 'use string with the tag @format uri';
  if (type === 'RegExp') return 'use string, and store the pattern as text';
  if (type === 'String' || type === 'Number' || type === 'Boolean') return `use ${type.toLowerCase()}`;
  if (type === 'Function') return 'remove the function: spec and status can contain only JSON data';
  if (/^(?:Iterable|ArrayLike|Iterator|Generator)/.test(type)) return 'use an array: readonly …[]';
  if (type === 'Object') return 'use unknown with the tag @preserveUnknownFields';
  if (type === 'symbol') return 'remove the field, or use string';
  if (type.includes('`')) return 'use string with the tag @pattern';
  return 'use a string, number, boolean, array or map, or an interface with fields of these types';
}

/** Classes of browser and Node APIs, whose declarations are not read. */
const platform = new Set(
  'AbortController AbortSignal Blob Buffer Event EventTarget File FormData Headers NodeJS ReadableStream Request Response URL URLSearchParams WritableStream'.split(
    ' ',
  ),
);

/** Returns the problem with a type that the compiler cannot resolve. */
export function unresolved(written: string): TypeFinding & { readonly code: 'KW6102' | 'KW6104' } {
  const name = /^\w+/.exec(written)?.[0] ?? '';
  if (platform.has(name))
    return { code: 'KW6102', what: `the class ${written} cannot be represented in JSON`, fix: insteadOf(name) };
  const fix = 'correct the name of the type, or import it';
  return { code: 'KW6104', what: `the type ${written} cannot be resolved`, fix };
}

/** Returns the problem with a union, based on its members. */
export function unionFinding(
  written: string,
  parts: { readonly areLiterals: boolean; readonly areTextAndNumber: boolean; readonly isListOrElement: boolean },
): TypeFinding {
  if (parts.areTextAndNumber) {
    return {
      what: 'the union of number and string is ambiguous',
      why: 'Kubernetes has two such types, int-or-string and quantity, with different validation',
      fix: 'use IntOrString from @kubewright/apimachinery, or string with the tag @quantity',
    };
  }
  const why = 'a structural schema has exactly one type per field';
  const what = `the union ${written} has no structural schema`;
  if (parts.areLiterals) return { what, why, fix: "write all values as strings: 'a' | '1' | 'true'" };
  if (parts.isListOrElement)
    return { what, why, fix: 'use only the array type: a single value is an array with one element' };
  const fix = 'use one object with an optional field for each case, and list the fields in the tag @exactlyOneOf';
  return { what, why, fix };
}
