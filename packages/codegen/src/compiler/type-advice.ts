/** A problem with a type, and what to write instead. */
export interface TypeFinding {
  readonly what: string;
  readonly why?: string;
  readonly fix: string;
}

/** Returns what to write instead of a type that is not JSON. */
export function insteadOf(type: string): string {
  if (type === 'Date') return 'write string with the tag @dateTime';
  if (type === 'Quantity') return 'write string with the tag @quantity; new Quantity(text) computes with it';
  if (type === 'bigint') return 'write number with the tag @int64, or string for what a number cannot hold';
  if (type === 'Map' || type === 'ReadonlyMap') return 'write Readonly<Record<string, …>>';
  if (type === 'Set' || type === 'ReadonlySet') return 'write a list with the tag @listType set';
  if (type === 'Uint8Array' || type === 'Buffer') return 'write string with the tag @format byte: base64';
  if (type === 'URL') return 'write string with the tag @format uri';
  if (type === 'RegExp') return 'write string: the pattern';
  if (type === 'String' || type === 'Number' || type === 'Boolean') return `write ${type.toLowerCase()}`;
  if (type === 'Function') return 'remove it: spec and status can only contain JSON data';
  if (/^(?:Iterable|ArrayLike|Iterator|Generator)/.test(type)) return 'write a list: readonly …[]';
  if (type === 'Object') return 'write unknown with the tag @preserveUnknownFields';
  if (type === 'symbol') return 'leave it out, or write string';
  if (type.includes('`')) return 'write string with the tag @pattern';
  return 'write a string, number, boolean, list, map, or an interface of those';
}

/** Classes of browsers and of Node, whose declarations are not read. */
const PLATFORM = new Set(
  'AbortController AbortSignal Blob Buffer Event EventTarget File FormData Headers NodeJS ReadableStream Request Response URL URLSearchParams WritableStream'.split(
    ' ',
  ),
);

/** Returns the problem with a type that the compiler cannot resolve. */
export function unresolved(written: string): TypeFinding & { readonly code: 'KW6102' | 'KW6104' } {
  const name = /^\w+/.exec(written)?.[0] ?? '';
  if (PLATFORM.has(name)) return { code: 'KW6102', what: `the class ${written} is not JSON`, fix: insteadOf(name) };
  const fix = 'correct its name, or import what it comes from';
  return { code: 'KW6104', what: `the type ${written} cannot be resolved`, fix };
}

/** Returns the problem with a union, based on its members. */
export function unionFinding(
  written: string,
  parts: { readonly areLiterals: boolean; readonly areTextAndNumber: boolean; readonly isListOrElement: boolean },
): TypeFinding {
  if (parts.areTextAndNumber) {
    return {
      what: 'a union of number and string',
      why: 'Kubernetes knows two of them, which are checked differently',
      fix: 'write IntOrString of @kubewright/apimachinery, or string with the tag @quantity',
    };
  }
  const why = 'a structural schema says one type for each field';
  const what = `the union ${written} has no structural schema`;
  if (parts.areLiterals) return { what, why, fix: "write all values as texts: 'a' | '1' | 'true'" };
  if (parts.isListOrElement) return { what, why, fix: 'write the list: one element is a list of one' };
  const fix = 'write one object with an optional field for each case, and the tag @exactlyOneOf with their names';
  return { what, why, fix };
}
