import type { JsonSchema } from '@kubewright/schema';
import type { KindModel } from '../compiler/find-kinds.ts';
import type { Position, Problems } from '../problem.ts';
import { applyDocs } from '../tags/apply-tags.ts';
import { additionalOf, itemsOf } from '../types/children.ts';
import type { Draft } from '../types/draft.ts';
import { schemaOf } from '../types/schema-of.ts';

/** The schema of a version, and the source positions of its parts, by path in the schema. */
export interface KindSchema {
  readonly schema: JsonSchema;
  readonly positions: ReadonlyMap<string, Position>;
}

/** Builds the schema of a whole object: `apiVersion`, `kind`, `metadata`, `spec` and `status`. */
export function kindSchema(kind: KindModel, problems: Problems): KindSchema {
  const positions = new Map<string, Position>([['', kind.at]]);
  const part = (path: 'spec' | 'status', model: KindModel['spec']): JsonSchema =>
    schemaOf(model, { problems, path, schemaPath: `.properties[${path}]`, positions });
  const root: Draft = {
    type: 'object',
    properties: {
      apiVersion: { description: 'API version of this object.', type: 'string' },
      kind: { description: 'Kind of this object.', type: 'string' },
      metadata: { type: 'object' },
      spec: part('spec', kind.spec),
      ...(kind.status && { status: part('status', kind.status) }),
    },
    required: ['spec'],
  };
  applyDocs(root, kind.docs, {
    problems,
    path: '',
    immutable: () => {},
    numberKind: () => {},
    ruleAt: (place, at) => positions.set(place, at),
  });
  addSchemaMap(root, kind, problems);
  return { schema: root, positions };
}

/** Applies the `schema` option of `defineKind`, which maps field paths to schema keywords. */
function addSchemaMap(root: Draft, kind: KindModel, problems: Problems): void {
  for (const [path, keywords] of Object.entries(kind.schema)) {
    const target = find(root, path);
    if (target === undefined) {
      const what = `the option schema refers to ${path}, which does not exist`;
      const fix = 'use a full path, such as spec.users[].name or spec.labels{}';
      problems.add(kind.at, { code: 'KW6205', path, what, fix });
      continue;
    }
    for (const [keyword, value] of Object.entries(keywords)) {
      if (!schemaKeywords.has(keyword)) {
        const what = `${keyword} is not a keyword of structural schemas`;
        problems.add(kind.at, { code: 'KW6201', path, what, fix: `use one of ${[...schemaKeywords].join(', ')}` });
      } else if (keyword === 'x-kubernetes-validations') {
        const before = target['x-kubernetes-validations'] ?? [];
        Object.assign(target, { [keyword]: [...before, ...(value as typeof before)] }); // validated later
      } else Object.assign(target, { [keyword]: value });
    }
  }
}

const schemaKeywords: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'default',
  'description',
  'enum',
  'example',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'externalDocs',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'not',
  'nullable',
  'oneOf',
  'pattern',
  'title',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

/** Finds the schema at a path. Property names can contain separators: `spec.a.b` can be a single field of `spec`. */
function find(root: Draft, path: string): Draft | undefined {
  return walk(root, path === '' || /^(\[\]|\{\})/.test(path) ? path : `.${path}`);
}

function walk(schema: JsonSchema | undefined, path: string): Draft | undefined {
  if (schema === undefined || path === '') return schema as Draft | undefined; // the cast is safe: all parts are drafts
  if (path.startsWith('[]')) return walk(itemsOf(schema), path.slice(2));
  if (path.startsWith('{}')) return walk(additionalOf(schema), path.slice(2));
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const rest = path.slice(name.length + 1);
    if (!path.startsWith(`.${name}`) || !/^($|\.|\[\]|\{\})/.test(rest)) continue;
    const found = walk(child, rest);
    if (found) return found;
  }
  return undefined;
}
