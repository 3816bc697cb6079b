import type { FieldSet, JsonObject } from '@kubewright/apimachinery/internal';
import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import { isRecord, sortedJson } from '@kubewright/schema/internal';
import { compareObjects } from './compare.ts';
import { fieldSetOf } from './field-set-of.ts';
import type { Ownership } from './ownership.ts';
import { trackable } from './track-update.ts';

/** The only manager that can move from client-side to server-side apply without conflicts. */
export const kubectl = 'kubectl';
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const maxAnnotations = 256 * 1024;

/**
 * Returns the fields that kubectl's last client-side apply set and that are still unchanged: an apply by `kubectl` may
 * take them over without force. Returns `undefined` if there was no client-side apply or its annotation is unreadable.
 */
export function allowedByLastApplied(live: JsonObject, { type, apiVersion }: Ownership): FieldSet | undefined {
  const text = annotationsOf(live)?.[annotation];
  if (typeof text !== 'string' || text === '') return undefined;
  let last: unknown;
  try {
    last = parseExactJson(text);
  } catch {
    return undefined; // the annotation does not contain JSON
  }
  if (!isRecord(last) || last['apiVersion'] !== apiVersion) return undefined;
  const { added, modified, removed } = compareObjects(type, last, trackable(live));
  return fieldSetOf(type, last).difference(modified).difference(added).difference(removed);
}

/** Updates the annotation of client-side apply, if present, after an apply by `kubectl`. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  const current = annotations?.[annotation];
  if (annotations === undefined || typeof current !== 'string' || current === '') return object;
  const value = `${sortedJson(withoutAnnotation(applied))}\n`;
  if (value === current) return object;
  const next: Record<string, unknown> = { ...annotations, [annotation]: value };
  if (sizeOf(next) > maxAnnotations) delete next[annotation];
  const metadata = object['metadata'] as JsonObject; // it contains the annotations
  return { ...object, metadata: { ...metadata, annotations: next } };
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = object['metadata'];
  const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
  return isRecord(annotations) ? annotations : undefined;
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const annotations = annotationsOf(applied);
  if (annotations === undefined || !Object.hasOwn(annotations, annotation)) return applied;
  const { [annotation]: _, ...rest } = annotations;
  const metadata = applied['metadata'] as JsonObject; // it contains the annotations
  return { ...applied, metadata: { ...metadata, annotations: rest } };
}

function sizeOf(annotations: JsonObject): number {
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += key.length + (typeof value === 'string' ? value.length : stringifyJson(value).length);
  }
  return size;
}
