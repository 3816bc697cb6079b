import type { KubernetesObject } from '@kubewright/apimachinery';
import { parseExactJson } from '@kubewright/apimachinery/internal';
import type { ObjectType, OutputFormat, ProtobufCodec } from '../negotiation/index.ts';
import type { Pacer } from '../registry/pacer.ts';
import type { ServedForm } from '../registry/served-form.ts';
import type { StoredObject } from '../storage/storage.ts';
import { partialMetadata } from './table.ts';

type Json = Readonly<Record<string, unknown>>;

/** A format whose media type is protobuf. */
export type ProtobufFormat = OutputFormat & { readonly codec: ProtobufCodec };

/** Reports whether the client requested protobuf. */
export function isProtobufFormat(format: OutputFormat): format is ProtobufFormat {
  return format.codec !== undefined;
}

/** Encodes one object, or its metadata. */
export function protobufObject(form: ServedForm, stored: StoredObject, { codec, as }: ProtobufFormat): Uint8Array {
  return codec.encode(protobufType(form, as), fieldsOf(form, form.object(stored), as));
}

/** Encodes a list one item at a time, yielding to other requests in between. */
export async function protobufList(
  form: ServedForm,
  objects: readonly StoredObject[],
  options: { readonly format: ProtobufFormat; readonly metadata: Json; readonly pacer: Pacer },
): Promise<Uint8Array> {
  const { format, metadata, pacer } = options;
  const { codec, as } = format;
  const type = protobufType(form, as);
  const items: Uint8Array[] = [];
  for (const stored of objects) {
    if (pacer.isDue) await pacer.rest();
    // Not `form.object`, which would cache every decoded object of a long list.
    const object = form.draft(stored) as unknown as KubernetesObject; // only objects are stored
    items.push(codec.encodeItem(type, fieldsOf(form, object, as)));
  }
  const kind = as === undefined ? form.definition.listKind : 'PartialObjectMetadataList';
  return codec.encodeList({ ...type, kind }, metadata, items);
}

/** Encodes an object that exists as JSON, such as a Status. */
export function protobufOfJson(json: string, codec: ProtobufCodec): Uint8Array {
  const { apiVersion = 'v1', kind, ...fields } = parseExactJson(json) as Json & Partial<ObjectType>;
  return codec.encode({ apiVersion, kind: kind ?? '' }, fields);
}

/** Returns the type in which an object is encoded: its own type, or PartialObjectMetadata. */
export function protobufType({ apiVersion, definition }: ServedForm, as?: OutputFormat['as']): ObjectType {
  if (as === undefined) return { apiVersion, kind: definition.kind };
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
}

/** Returns the fields to encode: the whole object, or its metadata. */
function fieldsOf(form: ServedForm, object: KubernetesObject, as: OutputFormat['as']): Json {
  return as === undefined ? (object as unknown as Json) : { metadata: partialMetadata(form, object) };
}
