import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import { formatYaml } from '@kubewright/schema/internal';
import type { OutputFormat } from '../negotiation/index.ts';
import type { Pacer } from '../registry/pacer.ts';
import type { StoredObject } from '../storage/storage.ts';
import { emptyDocument, type ListParts } from '../tables/index.ts';

/**
 * Encodes a list indented or as YAML, one item at a time, because encoding a long list in one go would block all other requests.
 */
export function encodeStyled(
  objects: readonly StoredObject[],
  options: { readonly parts: ListParts; readonly format: OutputFormat; readonly pacer: Pacer },
): Promise<Uint8Array> {
  const { parts, format } = options;
  // The list is the last field of the document.
  const skeleton = JSON.parse(objects.length === 0 ? emptyDocument(parts) : `${parts.head}]}`) as Readonly<
    Record<string, unknown>
  >;
  return format.mediaType === 'application/yaml'
    ? encodeYaml(objects, { ...options, skeleton })
    : encodeIndented(objects, { ...options, skeleton });
}

interface StyledOptions {
  readonly parts: ListParts;
  readonly pacer: Pacer;
  readonly skeleton: Readonly<Record<string, unknown>>;
}

async function encodeIndented(objects: readonly StoredObject[], options: StyledOptions): Promise<Uint8Array> {
  const text = JSON.stringify(options.skeleton, undefined, 2);
  if (objects.length === 0) return Buffer.from(text);
  const item = (json: unknown): string => `\n${stringifyJson(json, { indent: 2 })}`.replaceAll('\n', '\n    ');
  const pieces = await piecesOf(objects, { ...options, item, separator: ',' });
  return Buffer.concat([Buffer.from(text.slice(0, -']\n}'.length)), ...pieces, Buffer.from('\n  ]\n}')]);
}

async function encodeYaml(objects: readonly StoredObject[], options: StyledOptions): Promise<Uint8Array> {
  const { skeleton } = options;
  const field = Object.keys(skeleton).at(-1) ?? '';
  const document: Uint8Array[] = [];
  for (const key of Object.keys(skeleton).sort()) {
    if (key !== field || objects.length === 0) {
      document.push(Buffer.from(formatYaml({ [key]: skeleton[key] })));
      continue;
    }
    document.push(Buffer.from(`${key}:\n`));
    // In YAML, concatenated one-item lists form one list.
    document.push(...(await piecesOf(objects, { ...options, item: (json) => formatYaml([json]), separator: '' })));
  }
  return Buffer.concat(document);
}

async function piecesOf(
  objects: readonly StoredObject[],
  options: StyledOptions & { readonly item: (json: unknown) => string; readonly separator: string },
): Promise<readonly Uint8Array[]> {
  const { parts, pacer, item, separator } = options;
  const pieces: Uint8Array[] = [];
  for (const [index, stored] of objects.entries()) {
    if (pacer.isDue) await pacer.rest();
    pieces.push(Buffer.from((index === 0 ? '' : separator) + item(parseExactJson(parts.item(stored)))));
  }
  return pieces;
}
