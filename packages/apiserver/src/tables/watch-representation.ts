import { defined } from '@kubewright/apimachinery/internal';
import type { MetaVersion, OutputFormat } from '../negotiation/index.ts';
import type { ServedForm } from '../registry/served-form.ts';
import type { WatchRepresentation } from '../watch/index.ts';
import { isProtobufFormat, type ProtobufFormat, protobufObject, protobufType } from './protobuf-form.ts';
import { encodeTable, type IncludeObject, partialJson, tableHead } from './table.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the representation that a watch's client requested: plain objects, Tables, or metadata only. */
export function watchRepresentation(
  form: ServedForm,
  format: OutputFormat,
  options: { readonly include: IncludeObject; now(): number },
): WatchRepresentation {
  const { definition, apiVersion } = form;
  const type = `${apiVersion} ${definition.kind}`;
  if (format.as === 'Table') return tables(form, format.asVersion ?? 'v1', options);
  if (isProtobufFormat(format)) return protobufEvents(form, format);
  if (format.as !== undefined) {
    return {
      id: `partial ${format.asVersion} ${type}`,
      encode: (item) => encoder.encode(partialJson(form, item, format.asVersion)),
      bookmark: bookmarks('PartialObjectMetadata', `meta.k8s.io/${format.asVersion}`),
    };
  }
  return {
    id: `json ${type}`,
    encode: (item) => form.bytes(item),
    bookmark: bookmarks(definition.kind, apiVersion, definition.custom ? { creationTimestamp: null } : {}),
  };
}

function tables(
  form: ServedForm,
  version: MetaVersion,
  { include, now }: { readonly include: IncludeObject; now(): number },
): WatchRepresentation {
  const { definition, apiVersion } = form;
  const bookmark = bookmarks('PartialObjectMetadata', `meta.k8s.io/${version}`);
  return {
    id: `table ${version} ${apiVersion} ${definition.kind} ${include}`,
    firstDiffers: true,
    encode(item, { first }) {
      const { resourceVersion = '' } = form.object(item).metadata;
      const metadata = JSON.stringify({ resourceVersion });
      return encodeTable(form, item, { include, nowMs: now(), metadata, version, columns: first });
    },
    bookmark(resourceVersion, { first, annotations }) {
      // Only the bookmark that ends the initial events has annotations, so that bookmark always includes the object.
      const omitsObject = include === 'None' && annotations === undefined;
      const object = omitsObject ? 'null' : decoder.decode(bookmark(resourceVersion, { first, annotations }));
      const cells = JSON.stringify(definition.columns.map(() => ''));
      const head = tableHead(form, { metadata: JSON.stringify({ resourceVersion }), version, columns: first });
      return encoder.encode(`${head}{"cells":${cells},"object":${object}}]}`);
    },
  };
}

/** Represents objects, or their metadata, as protobuf. */
function protobufEvents(form: ServedForm, format: ProtobufFormat): WatchRepresentation {
  const { codec, as } = format;
  const type = protobufType(form, as);
  return {
    id: `protobuf ${as ?? ''} ${form.apiVersion} ${form.definition.kind}`,
    encode: (item) => protobufObject(form, item, format),
    bookmark: (resourceVersion, { annotations }) =>
      codec.encode(type, { metadata: { resourceVersion, creationTimestamp: null, annotations } }),
    framing: {
      frame: (event, object) => codec.encodeEvent(event, object),
      status: (status) => codec.encode({ apiVersion: 'v1', kind: 'Status' }, { ...status }),
    },
  };
}

/**
 * Returns the encoder of bookmarks. `unset` holds metadata fields that a bookmark includes although they are unset: custom
 * resources have no Go type that would omit them.
 */
function bookmarks(kind: string, apiVersion: string, unset: object = {}): WatchRepresentation['bookmark'] {
  return (resourceVersion, { annotations }) => {
    const metadata = { resourceVersion, ...unset, ...defined({ annotations }) };
    return encoder.encode(JSON.stringify({ kind, apiVersion, metadata }));
  };
}
