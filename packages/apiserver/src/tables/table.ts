import type { KubernetesObject, ObjectMeta } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { MetaVersion } from '../negotiation/index.ts';
import type { Pacer } from '../registry/pacer.ts';
import type { ServedForm } from '../registry/served-form.ts';
import type { StoredObject } from '../storage/storage.ts';

/** The part of an object that a table row includes (`includeObject`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

const encoder = new TextEncoder();
/** Number of characters to collect before encoding them as bytes. */
const pieceLength = 256 * 1024;

/** Options for encoding a table. */
export interface TableOptions {
  readonly include: IncludeObject;
  readonly nowMs: number;
  /** JSON of the table's metadata. */
  readonly metadata: string;
  /** The version of the table, and of the metadata in its rows. @defaultValue 'v1' */
  readonly version?: MetaVersion | undefined;
  /** False omits the column definitions: a watch sends them only with its first event. @defaultValue true */
  readonly columns?: boolean;
}

/** Encodes a meta/v1 `Table` with one object. */
export function encodeTable(form: ServedForm, stored: StoredObject, options: TableOptions): Uint8Array {
  return encoder.encode(`${tableHead(form, options)}${rowJson(form, stored, options)}]}`);
}

/** The parts of a JSON document that ends in a list: the text before the first item, and each item. */
export interface ListParts {
  /** JSON up to the opening bracket of the list. */
  readonly head: string;
  /** JSON of a list without items. @defaultValue `[]` */
  readonly empty?: 'null' | '[]';
  /** Returns the JSON of one item. */
  item(stored: StoredObject): string;
}

/** Returns the parts of a meta/v1 `Table` for a page of a list, as `kubectl get` requests it. */
export function tableParts(form: ServedForm, options: TableOptions): ListParts {
  return { head: tableHead(form, options), empty: emptyRows(form), item: (stored) => rowJson(form, stored, options) };
}

/** Returns the rows of an empty table: `null` for kinds without a printer in upstream, which get a `Created At` column. */
function emptyRows({ definition: { custom, columns } }: ServedForm): 'null' | '[]' {
  return !custom && columns.some(({ name }) => name === 'Created At') ? 'null' : '[]';
}

/** Returns the JSON of a table up to the opening bracket of its rows. */
export function tableHead(
  form: ServedForm,
  { metadata, columns = true, version = 'v1' }: Pick<TableOptions, 'metadata' | 'columns' | 'version'>,
): string {
  const definitions = columns ? columnsJson(form) : 'null';
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"columnDefinitions":${definitions},"rows":[`;
}

/** Encodes a document that ends in a list, in chunks, and yields to other work between them. */
export async function encodeParts(
  objects: readonly StoredObject[],
  { parts, pacer }: { readonly parts: ListParts; readonly pacer: Pacer },
): Promise<Uint8Array> {
  if (objects.length === 0) return encoder.encode(emptyDocument(parts));
  const pieces: Uint8Array[] = [];
  let text = parts.head;
  for (let i = 0; i < objects.length; i++) {
    if (pacer.isDue) await pacer.rest();
    if (text.length > pieceLength) {
      pieces.push(encoder.encode(text));
      text = '';
    }
    if (i > 0) text += ',';
    text += parts.item(objects[i] as StoredObject); // the index is within bounds
  }
  const last = encoder.encode(`${text}]}`);
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}

/** Returns a document whose list has no items. */
export function emptyDocument({ head, empty = '[]' }: ListParts): string {
  return `${head.slice(0, -1)}${empty}}`;
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
  { include, nowMs, version }: Pick<TableOptions, 'include' | 'nowMs' | 'version'>,
): string {
  const object = form.object(stored);
  const cells = stringifyJson(form.definition.cells(object, nowMs));
  if (include === 'None') return `{"cells":${cells},"object":null}`;
  const inner = include === 'Object' ? decoder.decode(form.bytes(stored)) : partialJson(form, stored, version);
  return `{"cells":${cells},"object":${inner}}`;
}

const decoder = new TextDecoder();

/** Returns the JSON of a meta/v1 `PartialObjectMetadata`: an object's metadata without the rest. */
export function partialJson(form: ServedForm, stored: StoredObject, version: MetaVersion = 'v1'): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${stringifyJson(partialMetadata(form, form.object(stored)))}}`;
}

/** Returns the metadata that upstream's internal object has; see {@link ResourceDefinition.conversionAnnotations}. */
export function partialMetadata({ definition }: ServedForm, { metadata }: KubernetesObject): ObjectMeta {
  const { conversionAnnotations } = definition;
  if (conversionAnnotations === undefined || metadata.annotations === undefined) return metadata;
  const kept = Object.entries(metadata.annotations).filter(([name]) => !conversionAnnotations.includes(name));
  const { annotations: _, ...rest } = metadata;
  return kept.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(kept) };
}

/** Returns the parts of a meta/v1 `PartialObjectMetadataList`. */
export function partialParts(
  form: ServedForm,
  { metadata, version = 'v1' }: Pick<TableOptions, 'metadata' | 'version'>,
): ListParts {
  const head = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"items":[`;
  // `null`, as in upstream, which does not allocate an empty list (meta/internalversion, asPartialObjectMetadataList).
  return { head, empty: 'null', item: (stored) => partialJson(form, stored, version) };
}
