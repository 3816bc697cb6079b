import type { SchemaNode } from '@kubewright/schema/internal';

const text: SchemaNode = { type: 'string' };
const flag: SchemaNode = { type: 'boolean' };

function struct(properties: Readonly<Record<string, SchemaNode>>): SchemaNode {
  return { type: 'object', properties: new Map(Object.entries(properties)) };
}

function texts(...names: readonly string[]): SchemaNode {
  return struct(Object.fromEntries(names.map((name) => [name, text])));
}

const textList: SchemaNode = { type: 'array', items: text };
/** The fields of CreateOptions, UpdateOptions and DeleteOptions. Upstream leaves their type dynamic. */
const options = struct({
  kind: text,
  apiVersion: text,
  dryRun: textList,
  fieldManager: text,
  fieldValidation: text,
  gracePeriodSeconds: { type: 'integer' },
  orphanDependents: flag,
  preconditions: texts('uid', 'resourceVersion'),
  propagationPolicy: text,
});
const kind = texts('group', 'version', 'kind');
const resource = texts('group', 'version', 'resource');

/** The schema of `request` in conditions (admission/v1 `AdmissionRequest` without its objects, 1.36). */
export const requestSchema: SchemaNode = struct({
  kind: kind,
  resource: resource,
  subResource: text,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: struct({
    username: text,
    uid: text,
    groups: textList,
    extra: { type: 'object', additionalProperties: textList },
  }),
  dryRun: flag,
  options: options,
});
