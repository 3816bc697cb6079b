import type { Conversion } from '@kubewright/apiserver/internal';
import { copyJson } from '../copy-json.ts';

/** The core/v1 name of each events.k8s.io/v1 field that has a different name there. */
const coreNames: ReadonlyMap<string, string> = new Map([
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
]);
const back: ReadonlyMap<string, string> = new Map([...coreNames].map(([theirs, core]) => [core, theirs]));

/** Renames fields between the two event APIs, without losing data in either direction. */
export const eventConversion: Conversion = {
  toStorage(object) {
    const renamed = rename(object, coreNames);
    return { ...renamed, apiVersion: 'v1', kind: 'Event', metadata: object.metadata };
  },
  fromStorage(object) {
    const renamed = rename(object, back);
    return { ...renamed, apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: object.metadata };
  },
};

function rename(object: object, names: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([field, value]) => [names.get(field) ?? field, copyJson(value)]),
  );
}
