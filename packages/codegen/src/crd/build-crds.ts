import { defined } from '@kubewright/apimachinery/internal';
import type { KindModel } from '../compiler/find-kinds.ts';
import type { TypeModel } from '../compiler/type-model.ts';
import type { ObjectMemory } from '../memory.ts';
import type { Position, Problems } from '../problem.ts';
import { version } from '../version.ts';
import { checkNames } from './check-names.ts';
import type { Crd, CrdVersion } from './crd.ts';
import { type KindSchema, kindSchema } from './kind-schema.ts';

/** A CRD with the origin of its parts. */
export interface BuiltCrd {
  readonly crd: Crd;
  /** The models of the CRD's versions, in the order of `spec.versions`. */
  readonly kinds: readonly KindModel[];
  /** For each version, source positions by path in its schema. */
  readonly positions: readonly ReadonlyMap<string, Position>[];
}

interface Making {
  readonly problems: Problems;
  readonly schemas: ObjectMemory<TypeModel, KindSchema>;
}

/** Builds one CRD from all versions of each kind. */
export function buildCrds(kinds: readonly KindModel[], making: Making): readonly BuiltCrd[] {
  const byKind = new Map<string, KindModel[]>();
  for (const kind of kinds) {
    const key = `${kind.group} ${kind.kind}`;
    byKind.set(key, [...(byKind.get(key) ?? []), kind]);
  }
  return [...byKind]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, versions]) =>
      buildCrd(
        versions.sort((a, b) => (a.version < b.version ? -1 : 1)),
        making,
      ),
    );
}

function buildCrd(kinds: readonly KindModel[], { problems, schemas }: Making): BuiltCrd {
  checkVersions(kinds, problems);
  for (const kind of kinds) checkNamesOf(kind, problems);
  const [first] = kinds as readonly [KindModel, ...KindModel[]]; // the cast is safe: a group is never empty
  const positions: ReadonlyMap<string, Position>[] = [];
  const versions = kinds.map((kind): CrdVersion => {
    // Kinds are cached as a whole, so an unchanged `spec` model means that the rest of the kind is unchanged, too.
    const made = schemas.recall(kind.spec, problems, (found) => kindSchema(kind, found));
    positions.push(made.positions);
    return versionOf(kind, made.schema, kinds.length === 1);
  });
  const merged = (pick: (kind: KindModel) => readonly string[]): readonly string[] => [...new Set(kinds.flatMap(pick))];
  const shortNames = merged((kind) => kind.shortNames);
  const categories = merged((kind) => kind.categories);
  const labels = Object.assign({}, ...kinds.map((kind) => kind.labels));
  const annotations = Object.assign({ 'kubewright.dev/version': version }, ...kinds.map((kind) => kind.annotations));
  const crd: Crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${first.plural}.${first.group}`,
      annotations,
      ...(Object.keys(labels).length > 0 && { labels }),
    },
    spec: {
      group: first.group,
      names: {
        kind: first.kind,
        listKind: `${first.kind}List`,
        plural: first.plural,
        singular: first.singular,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      scope: first.scope,
      versions,
    },
  };
  return { crd, kinds, positions };
}

function versionOf(kind: KindModel, schema: object, isOnly: boolean): CrdVersion {
  const { columns, scale, status, selectableFields, deprecated, deprecationWarning } = kind;
  const subresources = { ...(status && { status: {} }), ...defined({ scale }) };
  return {
    name: kind.version,
    served: kind.served,
    // A single version is always stored.
    storage: isOnly || kind.storage,
    ...(deprecated && { deprecated }),
    ...defined({ deprecationWarning }),
    schema: { openAPIV3Schema: schema },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(columns.length > 0 && {
      additionalPrinterColumns: columns.map((column) => ({ ...column, type: column.type ?? 'string' })),
    }),
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}

/** Checks the names of a kind before anything is generated, because they become parts of file paths and other names. */
function checkNamesOf(kind: KindModel, problems: Problems): void {
  for (const { field, value, rule } of checkNames({ ...kind, versions: [kind.version] })) {
    const name = field === 'spec.versions' ? 'version' : field.replace(/^spec\.(names\.)?/, '');
    problems.add(kind.at, {
      code: 'KW6003',
      what: `${JSON.stringify(value)} is not a valid ${nameWords[name] ?? name}`,
      why: rule,
      fix: `correct ${name} in defineKind`,
    });
  }
}

const nameWords: Readonly<Record<string, string>> = {
  plural: 'plural name',
  singular: 'singular name',
  shortNames: 'short name',
  categories: 'category',
};

function checkVersions(kinds: readonly KindModel[], problems: Problems): void {
  const [first, ...more] = kinds as readonly [KindModel, ...KindModel[]]; // the cast is safe: a group is never empty
  const seen = new Set<string>([first.version]);
  for (const kind of more) {
    if (seen.has(kind.version)) {
      const what = `${kind.kind} defines version ${kind.version} twice`;
      problems.add(kind.at, { code: 'KW6004', what, fix: 'rename one of the versions' });
    }
    seen.add(kind.version);
    for (const field of ['plural', 'singular', 'scope', 'servedBy'] as const) {
      if (kind[field] === first[field]) continue;
      const what = `${field} of ${kind.kind} is ${first[field]} in ${first.version} but ${kind[field]} in ${kind.version}`;
      const why = `${field} must be the same in all versions of a kind`;
      problems.add(kind.at, { code: 'KW6004', what, why, fix: `set the same ${field} in all versions` });
    }
  }
  const stored = kinds.filter(({ storage }) => storage);
  if (kinds.length > 1 && stored.length !== 1) {
    const names = stored.length === 0 ? 'none' : stored.map((kind) => kind.version).join(', ');
    const what = `${first.kind} must have exactly one storage version, got ${names}`;
    const fix = 'set storage: false in all versions but one';
    problems.add(kinds.at(-1)?.at ?? first.at, { code: 'KW6004', what, fix });
  }
}
