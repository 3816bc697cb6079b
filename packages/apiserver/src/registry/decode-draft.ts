import { apiVersionOf, badRequest, parseApiVersion } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { ParsedBody } from '@kubewright/schema';
import { DecodeError, decodeValue, strictDecodingMessage } from '@kubewright/schema/internal';
import { textOf } from '../text-of.ts';
import type { WriteOptions } from './query-options.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { Draft, Strategy } from './strategy.ts';

/** The kind that {@link decodeDraft} expects, and how it handles unknown fields. */
export interface DecodeTarget {
  readonly definition: ResourceDefinition;
  readonly strategy: Strategy;
  readonly fieldValidation: WriteOptions['fieldValidation'];
  /** True for a merged object, see {@link decodeValue}. @defaultValue false */
  readonly fromUnstructured?: boolean;
  warn(text: string): void;
  /** True if the kind exists in the endpoint's version; selects the error message for a wrong kind. @defaultValue always true */
  isKnown?(kind: string): boolean;
}

/**
 * Decodes a body: checks its kind, decodes the fields of the schema and fills in defaults.
 *
 * @throws StatusError 400 if the body has a different kind, does not match the schema, or has unknown or duplicate
 * fields under `Strict`
 */
export function decodeDraft(body: ParsedBody, target: DecodeTarget): Draft {
  const { definition, strategy } = target;
  const { kind } = definition;
  const apiVersion = apiVersionOf(definition);
  const { value } = body;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) checkType(value, target);
  let decoded: ReturnType<typeof decodeValue>;
  const options = defined({ numberTokens: body.numberTokens, fromUnstructured: target.fromUnstructured });
  try {
    decoded = definition.decode ? definition.decode(value, options) : decodeValue(definition.schema, value, options);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `${kind} in version ${JSON.stringify(definition.version)} cannot be handled as a ${kind}: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  reportUnknown(body, decoded.unknownFields, target);
  const { kind: given, apiVersion: _apiVersion, metadata, ...rest } = decoded.value as Draft;
  // Keep a wrong kind of a custom resource: validation reports it.
  const draft: Draft = {
    kind: definition.custom && given ? given : kind,
    apiVersion,
    metadata: (metadata as Draft['metadata'] | undefined) ?? {},
    ...rest,
  };
  strategy.applyDefaults?.(draft);
  return draft;
}

function reportUnknown(body: ParsedBody, unknownFields: readonly string[], target: DecodeTarget): void {
  const { fieldValidation, definition } = target;
  if (fieldValidation === 'Ignore' || (unknownFields.length === 0 && body.duplicates.length === 0)) return;
  if (fieldValidation === 'Warn') {
    for (const text of unknownFields) target.warn(text);
    for (const text of body.duplicates) target.warn(text);
    return;
  }
  const message = strictDecodingMessage(body, unknownFields);
  if (message === undefined) return;
  const { kind, version } = definition;
  throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${message}`);
}

function checkType(value: object, { definition, isKnown = () => true }: DecodeTarget): void {
  const { kind, apiVersion } = value as { readonly kind?: unknown; readonly apiVersion?: unknown };
  const expected = apiVersionOf(definition);
  const isKind = kind === undefined || kind === '' || kind === definition.kind;
  const isVersion = apiVersion === undefined || apiVersion === '' || apiVersion === expected;
  if (definition.custom) {
    if (apiVersion === expected) return; // validation reports a wrong kind
    throw badRequest(
      `the API version in the data (${textOf(apiVersion ?? '')}) does not match the expected API version (${expected})`,
    );
  }
  if (isKind && isVersion) return;
  const given = { kind: textOf(kind ?? definition.kind), apiVersion: textOf(apiVersion ?? expected) };
  const { version } = parseApiVersion(given.apiVersion);
  const head = `${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${definition.kind}`;
  if (isVersion && isKnown(given.kind)) {
    const internal = `${(definition.group || 'core').split('.')[0]}.${definition.kind}`;
    throw badRequest(`${head}: converting (${version}.${given.kind}) to (${internal}): unknown conversion`);
  }
  throw badRequest(
    `${head}: no kind ${JSON.stringify(given.kind)} is registered for version ${JSON.stringify(given.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/**
 * Checks that a body names the same object as the URL, and fills in its namespace.
 *
 * @throws StatusError 400
 */
export function checkObjectKey(
  draft: Draft,
  definition: ResourceDefinition,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): void {
  const { metadata } = draft;
  if (name !== '') {
    if (!metadata.name) {
      throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
    }
    if (metadata.name !== name) {
      throw badRequest(
        `the name of the object (${textOf(metadata.name)}) does not match the name on the URL (${name})`,
      );
    }
  }
  if (definition.scope === 'Cluster') {
    // Ignored, as in upstream: Helm charts send a namespace.
    delete metadata.namespace;
    return;
  }
  if (!metadata.namespace) metadata.namespace = namespace;
  else if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
