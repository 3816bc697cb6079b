import type { StorageChange } from '../../../packages/apiserver/src/storage/storage.ts';
import type { RawAnswer } from '../answer-facts.ts';
import type { JsonObject } from '../parity-kinds.ts';
import { changed, type HttpRequest } from '../parity-request.ts';
import { isOfSuite, type StorageFaults } from './faulty-storage.ts';

/** A fault to inject into an API server: in a request, a response or the storage. */
export interface PlantedFault extends StorageFaults {
  /** The fault, as a bug report would describe it. */
  readonly name: string;
  /** Replaces a request before the server sees it. */
  readonly request?: (request: HttpRequest) => HttpRequest;
  /** Replaces the server's response. */
  readonly response?: (answer: RawAnswer, request: HttpRequest) => RawAnswer;
}

/** The faults that the suite must detect. Each is a bug that a change of the server could introduce. */
export const plantedFaults: readonly PlantedFault[] = [
  { name: 'lists ignore label selectors', request: without('labelSelector', ({ path }) => !isWatch(path)) },
  { name: 'watches ignore label selectors', request: without('labelSelector', ({ path }) => isWatch(path)) },
  { name: 'lists ignore field selectors', request: without('fieldSelector', ({ path }) => !isWatch(path)) },
  { name: 'watches ignore where to begin', request: without('resourceVersion', ({ path }) => isWatch(path)) },
  { name: 'bookmarks are never sent', request: without('allowWatchBookmarks', () => true) },
  { name: 'dry runs are stored', request: without('dryRun', () => true) },
  { name: 'applies ignore force', request: without('force', () => true) },
  { name: 'deletions ignore preconditions', request: withoutDeleteOption('preconditions') },
  { name: 'deletions ignore the propagation policy', request: withoutDeleteOption('propagationPolicy') },
  { name: 'creates answer 200', response: (answer) => (answer.status === 201 ? { ...answer, status: 200 } : answer) },
  { name: 'warnings are lost', response: ({ warning: _, ...answer }) => answer },
  { name: 'refusals have no causes', response: rewritten('"causes":', '"reasons":') },
  {
    name: 'the end of the initial events is not marked',
    response: rewritten('"k8s.io/initial-events-end"', '"k8s.io/initial-events"'),
  },
  { name: 'DELETED events have the version before the deletion', watched: () => withOldVersions },
  { name: 'the events of two objects are swapped', watched: () => withFirstTwoSwapped },
  {
    name: 'an event is lost',
    watched: () => (changes) => changes.filter(({ current }) => !/"tier":"z"/.test(textOf(current))),
  },
  { name: 'generation does not increase', stored: withPreviousGeneration },
  { name: 'a status write is owned by the main resource', stored: withoutSubresources },
  { name: 'a default is missing', stored: (object) => withoutField(object, 'terminationMessagePath') },
  { name: 'lists at a past version return the newest', listed: ({ revision: _, ...options }) => options },
];

function isWatch(path: string): boolean {
  return path.includes('watch=true');
}

function without(parameter: string, applies: (request: HttpRequest) => boolean): (request: HttpRequest) => HttpRequest {
  const pattern = new RegExp(`(?<=[?&])${parameter}=[^&]*&?`, 'g');
  return (request) => (applies(request) ? { ...request, path: request.path.replace(pattern, '') } : request);
}

function withoutDeleteOption(option: string): (request: HttpRequest) => HttpRequest {
  return (request) => {
    if (request.method !== 'DELETE' || request.body === undefined) return request;
    return { ...request, body: changed(request.body as JsonObject, [{ path: [option] }]) };
  };
}

function rewritten(from: string, to: string): (answer: RawAnswer) => RawAnswer {
  return (answer) => ({ ...answer, text: answer.text.replaceAll(from, to) });
}

function withOldVersions(changes: readonly StorageChange[]): readonly StorageChange[] {
  return changes.map((change) =>
    change.current === undefined && change.previous && isOfSuite(change.key)
      ? { ...change, revision: change.previous.revision }
      : change,
  );
}

function withFirstTwoSwapped(changes: readonly StorageChange[]): readonly StorageChange[] {
  const ofSuite = changes.filter(({ key }) => isOfSuite(key));
  const [first, second, ...others] = ofSuite;
  if (!first || !second) return changes;
  return [...changes.filter((change) => !ofSuite.includes(change)), second, first, ...others];
}

function withPreviousGeneration(object: JsonObject, previous: JsonObject | undefined): JsonObject {
  const { generation } = (previous?.['metadata'] ?? {}) as { readonly generation?: number };
  return generation === undefined ? object : changed(object, [{ path: ['metadata', 'generation'], value: generation }]);
}

function withoutSubresources(object: JsonObject): JsonObject {
  const { managedFields = [] } = object['metadata'] as { readonly managedFields?: readonly JsonObject[] };
  const entries = managedFields.map(({ subresource: _, ...entry }) => entry);
  return changed(object, [{ path: ['metadata', 'managedFields'], value: entries }]);
}

function withoutField(object: JsonObject, name: string): JsonObject {
  return JSON.parse(JSON.stringify(object, (key, value: unknown) => (key === name ? undefined : value))) as JsonObject;
}

function textOf(stored: StorageChange['current']): string {
  return stored ? Buffer.from(stored.bytes).toString('utf8') : '';
}
