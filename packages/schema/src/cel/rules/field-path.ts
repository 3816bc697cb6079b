import { KubewrightError } from '@kubewright/apimachinery';
import type { SchemaNode } from '../../node/schema-node.ts';

/** Thrown for a rule's `fieldPath` that does not exist in the schema. */
export class FieldPathError extends KubewrightError {
  readonly code = 'KW4104';

  constructor(path: string, reason: string) {
    super({
      what: `invalid fieldPath "${path}"`,
      why: reason,
      remedy: "use a path in the rule's schema, such as .spec.replicas or ['my.key']",
    });
    this.name = 'FieldPathError';
  }
}

const tokenPattern = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gsy;
const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Converts a rule's `fieldPath` (`.a.b`, `['a'].b`) to a path as reported in problems (`a.b`; `a[b]` for keys of maps).
 * @throws {@link FieldPathError}
 */
export function normalizeFieldPath(path: string, schema: SchemaNode): string {
  const reject = (reason: string): never => {
    throw new FieldPathError(path, reason);
  };
  const tokens = path.match(tokenPattern) ?? [];
  if (tokens.join('') !== path) reject('unterminated string literal');
  let node = schema;
  let result = '';
  for (let i = 0; i < tokens.length; ) {
    let name: string;
    if (tokens[i] === '.') {
      name = tokens[i + 1] ?? reject('unexpected end of JSON path');
      i += 2;
    } else if (tokens[i] === '[') {
      name = unquote(tokens[i + 1] ?? '') ?? reject(`expected single quoted string but got ${tokens[i + 1] ?? ''}`);
      if (tokens[i + 2] !== ']') reject(`expected ] but got ${tokens[i + 2] ?? ''}`);
      i += 3;
    } else {
      return reject(`expected [ or . but got: ${tokens[i]}`);
    }
    const step = descend(node, name) ?? reject('does not refer to a valid field');
    result += step.named ? (result === '' ? name : `.${name}`) : `[${name}]`;
    node = step.node;
  }
  return result;
}

function unquote(token: string): string | undefined {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return undefined;
  return token
    .slice(1, -1)
    .replace(/\\(.)/gs, (_, char: string) => (Object.hasOwn(escapes, char) ? escapes[char]! : char));
}

function descend(node: SchemaNode, name: string): { readonly node: SchemaNode; readonly named: boolean } | undefined {
  if (node.properties !== undefined) {
    const child = node.properties.get(name);
    return child && { node: child, named: true };
  }
  return node.additionalProperties && { node: node.additionalProperties, named: false };
}
