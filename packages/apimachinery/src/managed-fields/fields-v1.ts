import { KubewrightError } from '../errors/kubewright-error.ts';
import { type FieldNode, leaf, sortedChildren } from './field-node.ts';
import { canonicalPathElement, type PathElement } from './path-element.ts';

/** Thrown for managed fields with an invalid `fieldsV1`. */
export class FieldSetError extends KubewrightError {
  override readonly name = 'FieldSetError';
  readonly code = 'KW1020';
}

/** Maximum nesting: deeper than any object that the API accepts. */
const maxDepth = 600;

/** Parses `fieldsV1`; throws {@link FieldSetError} if the value is invalid. */
export function parseFieldsV1(fieldsV1: unknown): FieldNode {
  return parseNode(fieldsV1, 0);
}

function parseNode(value: unknown, depth: number): FieldNode {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FieldSetError({ what: 'invalid managed fields', why: 'each value in fieldsV1 must be an object' });
  }
  if (depth > maxDepth)
    throw new FieldSetError({
      what: 'invalid managed fields',
      why: `fieldsV1 is nested deeper than ${maxDepth} levels`,
    });
  let member = false;
  let children: Map<PathElement, FieldNode> | undefined;
  for (const [key, below] of Object.entries(value)) {
    if (key === '.') {
      member = true;
      continue;
    }
    const element = canonicalPathElement(key);
    if (element === undefined) {
      if (/^[kvi]:/.test(key))
        throw new FieldSetError({
          what: 'invalid managed fields',
          why: `fieldsV1 contains the malformed path element ${key.slice(0, 100)}`,
        });
      continue;
    }
    children ??= new Map();
    children.set(element, isEmptyObject(below) ? leaf : parseNode(below, depth + 1));
  }
  return children === undefined ? leaf : { member, children };
}

function isEmptyObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const _ in value) return false;
  return true;
}

/** Formats a tree as `fieldsV1`. */
export function formatFieldsV1(root: FieldNode): Record<string, unknown> {
  return serializeNode(root, false);
}

function serializeNode(node: FieldNode, includeSelf: boolean): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  if (includeSelf && node.member && node.children.size > 0) out['.'] = {};
  for (const [element, child] of sortedChildren(node)) out[element] = serializeNode(child, true);
  return out;
}
