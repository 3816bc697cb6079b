import type { SchemaNode } from '@kubewright/schema/internal';

const TEXT: SchemaNode = { type: 'string' };
const FLAG: SchemaNode = { type: 'boolean' };

function struct(properties: Readonly<Record<string, SchemaNode>>): SchemaNode {
  return { type: 'object', properties: new Map(Object.entries(properties)) };
}

function texts(...names: readonly string[]): SchemaNode {
  return struct(Object.fromEntries(names.map((name) => [name, TEXT])));
}

const TEXTS: SchemaNode = { type: 'array', items: TEXT };
/** The fields of CreateOptions, UpdateOptions and DeleteOptions. Upstream leaves their type dynamic. */
const OPTIONS = struct({
  kind: TEXT,
  apiVersion: TEXT,
  dryRun: TEXTS,
  fieldManager: TEXT,
  fieldValidation: TEXT,
  gracePeriodSeconds: { type: 'integer' },
  orphanDependents: FLAG,
  preconditions: texts('uid', 'resourceVersion'),
  propagationPolicy: TEXT,
});
const KIND = texts('group', 'version', 'kind');
const RESOURCE = texts('group', 'version', 'resource');

/** The schema of `request` in conditions (admission/v1 `AdmissionRequest` without its objects, 1.36). */
export const requestSchema: SchemaNode = struct({
  kind: KIND,
  resource: RESOURCE,
  subResource: TEXT,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: TEXT,
  name: TEXT,
  namespace: TEXT,
  operation: TEXT,
  userInfo: struct({
    username: TEXT,
    uid: TEXT,
    groups: TEXTS,
    extra: { type: 'object', additionalProperties: TEXTS },
  }),
  dryRun: FLAG,
  options: OPTIONS,
});
