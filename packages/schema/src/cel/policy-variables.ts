import type { SchemaNode } from '../node/schema-node.ts';

const text: SchemaNode = { type: 'string' };
const flag: SchemaNode = { type: 'boolean' };

function struct(properties: Readonly<Record<string, SchemaNode>>): SchemaNode {
  return { type: 'object', properties: new Map(Object.entries(properties)) };
}

function texts(...names: readonly string[]): SchemaNode {
  return struct(Object.fromEntries(names.map((name) => [name, text])));
}

const textList: SchemaNode = { type: 'array', items: text };
/**
 * The schema of `request.options`: all fields of CreateOptions, UpdateOptions and DeleteOptions. Upstream leaves the type
 * dynamic.
 */
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

/** The schema of `request`: admission/v1 `AdmissionRequest` without `object` and `oldObject`. */
const request: SchemaNode = struct({
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

const time: SchemaNode = { type: 'string', format: 'date-time' };
const textMap: SchemaNode = { type: 'object', additionalProperties: text };
const integer: SchemaNode = { type: 'integer' };
const condition = struct({ status: text, type: text, lastTransitionTime: time, message: text, reason: text });

/** The schema of `namespaceObject`. Upstream declares `UID` instead of `uid`. */
const namespaceObject: SchemaNode = struct({
  metadata: struct({
    name: text,
    generateName: text,
    namespace: text,
    labels: textMap,
    annotations: textMap,
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    generation: integer,
    resourceVersion: text,
    finalizers: textList,
  }),
  spec: struct({ finalizers: textList }),
  status: struct({ conditions: { type: 'array', items: condition }, phase: text }),
});

/** Schemas of the variables that match conditions and admission policies have for all kinds (1.36). */
export const policyVariables: { readonly request: SchemaNode; readonly namespaceObject: SchemaNode } = {
  request,
  namespaceObject,
};
