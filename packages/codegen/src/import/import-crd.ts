import { parseYaml } from '@kubewright/schema';
import type { Crd, CrdVersion } from '../crd/crd.ts';
import { checkCrdForm } from './check-crd-form.ts';
import { CrdSource } from './crd-source.ts';
import { ImportError } from './import-error.ts';
import { TypeNames, typeName } from './type-name.ts';

/** Options for {@link importCrd}. */
export interface ImportOptions {
  /** The version to convert. @defaultValue the stored version */
  readonly version?: string | undefined;
  /**
   * The form of the result. `'kind'` is a constant for clients and controllers of a kind that another project defines.
   * `'definition'` is a call to `defineKind` that yields the same schema and makes the CRD part of this project.
   *
   * @defaultValue 'kind'
   */
  readonly as?: 'kind' | 'definition' | undefined;
}

/**
 * Converts a CRD in YAML or JSON to TypeScript: the kind, and interfaces for its spec and status with tags for the
 * validation. If the text contains several documents, converts all CRDs among them.
 *
 * @throws {@link ImportError}
 *
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises';
 *
 * const source = importCrd(await readFile('certificates.yaml', 'utf8'), { version: 'v1' });
 * await writeFile('src/certificate.ts', source);
 * ```
 */
export function importCrd(text: string, options: ImportOptions = {}): string {
  const crds = documentsOf(text).filter((each): each is Crd => isCrd(each));
  if (crds.length === 0)
    throw new ImportError(
      'the text contains no CustomResourceDefinition',
      'pass a CustomResourceDefinition of apiextensions.k8s.io/v1',
    );
  for (const crd of crds) checkCrdForm(crd);
  const names = new TypeNames();
  const kinds = crds.map((crd) => ({ crd, name: names.take(typeName(crd.spec.names.kind)) }));
  const written = kinds.map(
    ({ crd, name }) =>
      new CrdSource(crd, { version: versionOf(crd, options.version), as: options.as ?? 'kind', name, names }),
  );
  const bodies = written.map((source) => source.write());
  const used = new Set(written.flatMap(({ imports }) => [...imports]));
  const types = [...used].filter((name) => name !== 'defineKind').sort();
  const head = [
    ...(types.length > 0 ? [`import type { ${types.join(', ')} } from '@kubewright/apimachinery';\n`] : []),
    ...(used.has('defineKind') ? ["import { defineKind } from '@kubewright/runtime';\n"] : []),
  ];
  return `${head.join('')}\n${bodies.join('\n')}`;
}

function documentsOf(text: string): readonly unknown[] {
  return text
    .split(/^---.*$/m)
    .filter((part) => part.trim() !== '')
    .flatMap((part) => {
      try {
        const { value } = parseYaml(new TextEncoder().encode(part));
        const items = typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : undefined;
        return Array.isArray(items) ? items : [value];
      } catch (cause) {
        throw new ImportError(`the text cannot be parsed: ${messageOf(cause)}`, 'pass valid YAML or JSON', { cause });
      }
    });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isCrd(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, apiVersion, spec } = value as {
    readonly kind?: unknown;
    readonly apiVersion?: unknown;
    readonly spec?: unknown;
  };
  const isOurs = kind === 'CustomResourceDefinition' && apiVersion === 'apiextensions.k8s.io/v1';
  return isOurs && typeof spec === 'object' && spec !== null;
}

function versionOf({ spec }: Crd, name: string | undefined): CrdVersion {
  const found = spec.versions.find((version) => (name === undefined ? version.storage : version.name === name));
  if (found !== undefined) return found;
  const names = spec.versions.map((version) => version.name).join(', ');
  throw new ImportError(
    `${spec.names.kind} has no ${name === undefined ? 'storage version' : `version ${name}`}`,
    `choose an existing version: ${names}`,
  );
}
