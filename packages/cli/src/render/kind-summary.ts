import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { Crd } from '@kubewright/codegen';

/** A summary of a served version of a kind. */
export interface KindSummary {
  /** Name of its CRD. */
  readonly crd: string;
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  /** First sentence of the type's comment. */
  readonly description: string;
  readonly schema: Schema;
}

/** The parts of a schema that descriptors use. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Returns a summary of every served version of the kinds that the CRDs define. */
export function summaryOf(objects: readonly UnstructuredObject[]): readonly KindSummary[] {
  return objects
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .flatMap((object) => {
      const { metadata, spec } = object as unknown as Crd; // filtered by kind
      return spec.versions
        .filter(({ served }) => served)
        .map(({ name, schema: { openAPIV3Schema = {} } = {} }) => ({
          crd: metadata.name,
          group: spec.group,
          kind: spec.names.kind,
          version: name,
          description: firstSentence(openAPIV3Schema.description) ?? spec.names.kind,
          schema: openAPIV3Schema as Schema, // a subset of it
        }));
    });
}

/** Returns the first sentence of a description, on one line. */
export function firstSentence(text: string | undefined): string | undefined {
  const [, sentence] = /^\s*(.+?[.!?])(?=\s|$)/s.exec(text ?? '') ?? [];
  const found = (sentence ?? text ?? '').replace(/\s+/g, ' ').trim();
  return found === '' ? undefined : found;
}

/** Returns a name as a title: `guestbook-operator` → `Guestbook Operator`, `RedisCache` → `Redis Cache`. */
export function titleOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[-_ ]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
