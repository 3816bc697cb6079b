import type { ProjectKind } from '../project/find-kinds.ts';
import { fileNameOf, variableOf, versionedName } from '../project/names.ts';
import type { ProjectFile } from '../project/write-files.ts';

/** A webhook to scaffold: its file, and its name in `main.ts`. */
export interface WebhookFile extends ProjectFile {
  readonly variable: string;
  /** Relative to `src`. */
  readonly module: string;
}

/** Returns the file of a webhook that sets defaults of a kind. */
export function defaulterFile(kind: ProjectKind): WebhookFile {
  const { variable: name, isBuiltIn = false } = kind;
  const better = isBuiltIn
    ? ''
    : ` If a default does not
 * depend on other fields, use the tag \`@default\` in the type instead: it needs no webhook.`;
  // Not every Kubernetes kind has a spec.
  const changed = isBuiltIn ? '({ ...object })' : '({\n  ...object,\n  spec: { ...object.spec },\n})';
  return file(kind, {
    part: 'defaults',
    text: (variable) => `import { defaulter } from '@kubewright/runtime';
import { ${name} } from '${moduleOf(kind)}';

/**
 * Sets defaults of each ${kind.kind} before it is stored: return a changed copy, or the object unchanged.${better}
 */
export const ${variable} = defaulter(${name}, (object) => ${changed});
`,
  });
}

/** Returns the file of a webhook that validates objects of a kind. */
export function validatorFile(kind: ProjectKind): WebhookFile {
  const { variable: name, isBuiltIn = false } = kind;
  const better = isBuiltIn
    ? 'Add `delete` to validate deletions.'
    : `For rules about a single field, or rules that CEL can express, use tags in the
 * type instead: they need no webhook. Add \`delete\` to validate deletions.`;
  return file(kind, {
    part: 'rules',
    text: (variable) => `import { type FieldError, invalidField } from '@kubewright/apimachinery';
${isBuiltIn ? `import { ${name} } from '${moduleOf(kind)}';\n` : ''}import { validator } from '@kubewright/runtime';
${isBuiltIn ? '' : `import { ${name} } from '${moduleOf(kind)}';\n`}
/**
 * Validates each ${kind.kind} before it is stored. ${better}
 */
export const ${variable} = validator(${name}, {
  create: (object) => errorsOf(object),
  update: (object, { old }) => (old.metadata.deletionTimestamp === undefined ? errorsOf(object) : []),
});

/** Returns the errors of an object; an empty list admits it. */
export function errorsOf({ metadata }: ${name}): readonly FieldError[] {
  const { name = '' } = metadata;
  return name.length > 63 ? [invalidField('metadata.name', name, 'at most 63 characters')] : [];
}
`,
  });
}

/** Returns the file of a converter between the versions of a kind. */
export function converterFile(hub: ProjectKind, spokes: readonly ProjectKind[]): WebhookFile {
  return file(hub, {
    part: 'conversion',
    text: (variable) => `import { converter, spoke } from '@kubewright/runtime';
import { ${hub.variable} } from '${moduleOf(hub)}';
${spokes.map((each) => spokeImport(hub, each)).join('\n')}

/**
 * Converts between the versions of ${hub.kind}: ${hub.version} is the hub, other versions are converted to and from it. Conversions must
 * not lose data: if the other version has no field for a value, store it in an annotation.
 */
export const ${variable} = converter(${hub.variable}, [
${spokes.map((each) => spokeEntry(hub, each)).join('\n')}
]);
`,
  });
}

/** Returns the import of a spoke: a version that is converted through the hub. */
export function spokeImport(hub: ProjectKind, spoke: ProjectKind): string {
  const { variable } = spoke;
  const alias = aliasOf(hub, spoke);
  return `import { ${alias === variable ? variable : `${variable} as ${alias}`} } from '${moduleOf(spoke)}';`;
}

/** Returns the entry of a spoke in the converter's list. */
export function spokeEntry(hub: ProjectKind, spoke: ProjectKind): string {
  return `  spoke(${aliasOf(hub, spoke)}, {
    // Where the versions differ, the compiler reports missing fields.
    toHub: (object) => ({ ...object }),
    fromHub: (object) => ({ ...object }),
  }),`;
}

/**
 * Returns the name under which a version's constant is imported. Constants of different versions often have the same
 * name.
 */
function aliasOf(hub: ProjectKind, { variable, kind, version }: ProjectKind): string {
  return variable === hub.variable ? versionedName(kind, version) : variable;
}

function file(
  { kind, version }: ProjectKind,
  { part, text }: { readonly part: string; readonly text: (variable: string) => string },
): WebhookFile {
  const module = `./webhooks/${version}/${fileNameOf(kind)}-${part}.ts`;
  const variable = `${variableOf(kind)}${part.charAt(0).toUpperCase()}${part.slice(1)}`;
  return { path: `src/${module.slice(2)}`, text: text(variable), variable, module };
}

/**
 * Returns an import path relative to `src/webhooks/<version>`, escaped for single quotes, because a path can contain
 * any character.
 */
function moduleOf({ file: path, isBuiltIn = false }: ProjectKind): string {
  return (isBuiltIn ? path : `../../${path}`).replace(/['\\]/g, '\\$&');
}
