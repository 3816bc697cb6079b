import type { SchemaNode } from '../../node/index.ts';

/** Thrown for a rule's `fieldPath` that does not exist in the schema. */
export class FieldPathError extends Error {
  readonly code = 'KW4104';

  constructor(path: string, reason: string) {
    super(
      `fieldPath "${path}" is no path within the rule's schema: ${reason}; write it like .spec.replicas or ['my.key']`,
    );
    this.name = 'FieldPathError';
  }
}

const TOKEN = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gsy;
const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Converts a rule's `fieldPath` (`.a.b`, `['a'].b`) to the form of field paths (`a.b`, `a[b]` for keys of maps).
 * @throws {@link FieldPathError}
 */
export function normalizeFieldPath(path: string, schema: SchemaNode): string {
  const refuse = (reason: string): never => {
    throw new FieldPathError(path, reason);
  };
  const tokens = path.match(TOKEN) ?? [];
  if (tokens.join('') !== path) refuse('it cannot be read');
  let node = schema;
  let result = '';
  for (let i = 0; i < tokens.length; ) {
    let name: string;
    if (tokens[i] === '.') {
      name = tokens[i + 1] ?? refuse('it ends after a dot');
      i += 2;
    } else if (tokens[i] === '[') {
      name = unquote(tokens[i + 1] ?? '') ?? refuse('brackets hold a name in single quotes');
      if (tokens[i + 2] !== ']') refuse('a bracket is not closed');
      i += 3;
    } else {
      return refuse(`expected [ or . but got: ${tokens[i]}`);
    }
    const step = descend(node, name) ?? refuse(`there is no ${name}`);
    result += step.named ? (result === '' ? name : `.${name}`) : `[${name}]`;
    node = step.node;
  }
  return result;
}

function unquote(token: string): string | undefined {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return undefined;
  return token
    .slice(1, -1)
    .replace(/\\(.)/gs, (_, char: string) => (Object.hasOwn(ESCAPES, char) ? ESCAPES[char]! : char));
}

function descend(node: SchemaNode, name: string): { readonly node: SchemaNode; readonly named: boolean } | undefined {
  if (node.properties !== undefined) {
    const child = node.properties.get(name);
    return child && { node: child, named: true };
  }
  return node.additionalProperties && { node: node.additionalProperties, named: false };
}
