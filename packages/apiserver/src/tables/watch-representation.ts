import { defined } from '@kubewright/apimachinery/internal';
import type { OutputFormat } from '../negotiation/index.ts';
import type { ServedForm } from '../registry/served-form.ts';
import type { WatchRepresentation } from '../watch/index.ts';
import { isProtobufFormat, type ProtobufFormat, protobufObject, protobufType } from './protobuf-form.ts';
import { encodeTable, type IncludeObject, partialJson } from './table.ts';

const encoder = new TextEncoder();

/** Returns the representation of a watch that the client requested: plain objects, Tables, or metadata only. */
export function watchRepresentation(
  form: ServedForm,
  format: OutputFormat,
  options: { readonly include: IncludeObject; now(): number },
): WatchRepresentation {
  const { definition, apiVersion } = form;
  const type = `${apiVersion} ${definition.kind}`;
  if (format.as === 'Table') return tables(form, `table ${type} ${options.include}`, options);
  if (isProtobufFormat(format)) return protobufEvents(form, format);
  if (format.as !== undefined) {
    return {
      id: `partial ${type}`,
      encode: (item) => encoder.encode(partialJson(form.object(item))),
      bookmark: bookmarks('PartialObjectMetadata', 'meta.k8s.io/v1'),
    };
  }
  return {
    id: `json ${type}`,
    encode: (item) => form.bytes(item),
    bookmark: bookmarks(definition.kind, apiVersion),
  };
}

function tables(
  form: ServedForm,
  id: string,
  { include, now }: { readonly include: IncludeObject; now(): number },
): WatchRepresentation {
  const bookmark = bookmarks('PartialObjectMetadata', 'meta.k8s.io/v1');
  return {
    id,
    firstDiffers: true,
    encode(item, { first }) {
      const { resourceVersion = '' } = form.object(item).metadata;
      const metadata = JSON.stringify({ resourceVersion });
      return encodeTable(form, item, { include, nowMs: now(), metadata, columns: first });
    },
    bookmark(resourceVersion, annotations) {
      const object = new TextDecoder().decode(bookmark(resourceVersion, annotations));
      const cells = JSON.stringify(form.definition.columns.map(() => ''));
      return encoder.encode(
        `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify({ resourceVersion })},"columnDefinitions":null,"rows":[{"cells":${cells},"object":${object}}]}`,
      );
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
    bookmark: (resourceVersion, annotations) =>
      codec.encode(type, { metadata: { resourceVersion, creationTimestamp: null, annotations } }),
    framing: {
      frame: (event, object) => codec.encodeEvent(event, object),
      status: (status) => codec.encode({ apiVersion: 'v1', kind: 'Status' }, { ...status }),
    },
  };
}

function bookmarks(kind: string, apiVersion: string): WatchRepresentation['bookmark'] {
  return (resourceVersion, annotations) => {
    const metadata = { resourceVersion, creationTimestamp: null, ...defined({ annotations }) };
    return encoder.encode(JSON.stringify({ kind, apiVersion, metadata }));
  };
}
