import type { KubernetesObject } from '@kubewright/apimachinery';
import type { StoredObject } from '../../storage/storage.ts';
import type { ServedForm } from '../registry/served-form.ts';

/** How much of an object a table's row carries (`includeObject`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

const encoder = new TextEncoder();

/** Writes a meta/v1 `Table` of the objects, as `kubectl get` asks for. */
export function encodeTable(
  form: ServedForm,
  objects: readonly StoredObject[],
  options: {
    readonly include: IncludeObject;
    readonly nowMs: number;
    /** JSON of the table's metadata. */
    readonly metadata: string;
    /** Watches send column definitions with the first event only. @defaultValue true */
    readonly columns?: boolean;
  },
): Uint8Array {
  const { include, nowMs, metadata, columns = true } = options;
  const definitions = columns ? columnsJson(form) : 'null';
  const rows = objects.map((stored) => rowJson(form, stored, { include, nowMs }));
  return encoder.encode(
    `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"columnDefinitions":${definitions},"rows":[${rows.join(',')}]}`,
  );
}

function columnsJson(form: ServedForm): string {
  const columns = form.definition.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  return JSON.stringify(columns);
}

function rowJson(
  form: ServedForm,
  stored: StoredObject,
  { include, nowMs }: { readonly include: IncludeObject; readonly nowMs: number },
): string {
  const object = form.object(stored);
  const cells = JSON.stringify(form.definition.cells(object, nowMs));
  if (include === 'None') return `{"cells":${cells},"object":null}`;
  const inner = include === 'Object' ? decoder.decode(form.bytes(stored)) : partialJson(object);
  return `{"cells":${cells},"object":${inner}}`;
}

const decoder = new TextDecoder();

/** The JSON of a meta/v1 `PartialObjectMetadata`: an object's metadata without the rest. */
export function partialJson(object: KubernetesObject): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(object.metadata)}}`;
}

/** Writes a meta/v1 `PartialObjectMetadataList`. */
export function encodePartialList(
  form: ServedForm,
  objects: readonly StoredObject[],
  options: { readonly metadata: string },
): Uint8Array {
  const items = objects.map((stored) => partialJson(form.object(stored)));
  return encoder.encode(
    `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${options.metadata},"items":[${items.join(',')}]}`,
  );
}
