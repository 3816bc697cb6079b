import { badRequest, type KubernetesObject, notFound, StatusError } from '@kubewright/apimachinery';
import { expired } from '../http/failures.ts';
import { CompactedError, FutureRevisionError, type StorageList, type StoredObject } from '../storage/storage.ts';
import { tooLargeResourceVersion } from '../watch/index.ts';
import type { Call } from './call.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from './continue-token.ts';
import { reachRevision } from './freshness.ts';
import { type ListOptions, readResourceVersion } from './list-options.ts';
import { Pacer } from './pacer.ts';
import type { Registry } from './registry.ts';
import type { Selection } from './selection.ts';

/** A page of a list. */
export interface Page {
  readonly objects: readonly StoredObject[];
  readonly revision: number;
  readonly continueToken: string | undefined;
  /** Number of objects after this page. Undefined on the last page, and for lists with selectors. */
  readonly remaining: number | undefined;
}

/** Reads an object that is at least as new as the requested resourceVersion. */
export async function getObject(registry: Registry, call: Call, resourceVersion = ''): Promise<StoredObject> {
  const { services, definition } = registry;
  if (resourceVersion !== '' && resourceVersion !== '0') {
    await reachRevision(services, readVersionOfGet(registry, resourceVersion), call.signal);
  }
  const stored = await services.storage.get(registry.key(call.namespace, call.name));
  if (stored === undefined) throw notFound(definition, call.name);
  return stored;
}

/**
 * Parses the resourceVersion of a get. Upstream responds to an invalid version with a 500 without a reason, because its
 * watch cache returns a plain error. Events have no watch cache, so the response for Events is a 400.
 */
function readVersionOfGet({ definition }: Registry, text: string): number {
  if (definition.ttlSeconds !== undefined) return readResourceVersion(text, 'invalid resource version: ');
  try {
    return readResourceVersion(text);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new StatusError({ ...error.status, reason: '', code: 500 }, { cause: error });
  }
}

/**
 * Lists a collection. Combines resourceVersion, resourceVersionMatch, limit and continue as described in "Kubernetes API
 * Concepts" (1.36).
 */
export async function listObjects(
  registry: Registry,
  call: Call,
  { options, selection }: { readonly options: ListOptions; readonly selection: Selection },
): Promise<Page> {
  const { resourceVersion } = options;
  // Upstream treats a negative limit as no limit.
  const limit = Math.max(0, options.limit);
  const prefix = registry.key(call.namespace, '');
  if (options.continue !== '') {
    const token = decodeContinue(options.continue);
    if (resourceVersion !== '' && resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    return collect(registry, { prefix, token, limit, selection, revision: undefined });
  }
  const key = onlyKey(registry, call, selection);
  if (key !== undefined) {
    // Upstream reads a single matching object without a limit, so the limit does not imply an exact version.
    const revision = await decideRevision(registry, call, { ...options, limit: 0 });
    return collectOne(registry, key, { selection, revision });
  }
  const revision = await decideRevision(registry, call, options);
  // A list at version 0 ("any") ignores the limit, like upstream's watch cache.
  const page = resourceVersion === '0' ? 0 : limit;
  return collect(registry, { prefix, token: undefined, limit: page, selection, revision });
}

async function decideRevision(
  { services }: Registry,
  call: Call,
  { resourceVersion, resourceVersionMatch, limit }: ListOptions,
): Promise<number | undefined> {
  if (resourceVersion === '' || resourceVersion === '0') return undefined;
  const requested = readResourceVersion(resourceVersion, 'invalid resource version: ');
  const exact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0);
  if (exact) return requested;
  await reachRevision(services, requested, call.signal);
  return undefined;
}

/** Returns the storage key of the only object that can match a selector; undefined if several objects can match. */
function onlyKey(registry: Registry, { namespace }: Call, { name }: Selection): string | undefined {
  const isSingle = name !== undefined && /^(?!\.\.?$)[^/%]+$/.test(name);
  return isSingle && (namespace !== '' || registry.definition.scope === 'Cluster')
    ? registry.key(namespace, name)
    : undefined;
}

async function collectOne(
  registry: Registry,
  key: string,
  { selection, revision }: { readonly selection: Selection; readonly revision: number | undefined },
): Promise<Page> {
  const prefix = key.slice(0, key.lastIndexOf('/') + 1);
  const only: Collection = { prefix, token: undefined, limit: 1, selection, revision };
  const list = await read(registry, only, { revision, after: keyBefore(key), limit: 1, count: false });
  const isSelected = (one: StoredObject): boolean =>
    one.key === key && (selection.matches?.(registry.form.object(one)) ?? true);
  const objects = list.objects.filter(isSelected);
  return { objects, revision: list.revision, continueToken: undefined, remaining: undefined };
}

/** Returns a key that sorts just before `key`: no object's name contains U+10FFFF, which is not a character. */
function keyBefore(key: string): string {
  return `${key.slice(0, -1)}${String.fromCharCode(key.charCodeAt(key.length - 1) - 1)}\u{10ffff}`;
}

interface Collection {
  readonly prefix: string;
  readonly token: ContinueToken | undefined;
  readonly limit: number;
  readonly selection: Selection;
  readonly revision: number | undefined;
}

async function collect(registry: Registry, wanted: Collection): Promise<Page> {
  const { token, limit, selection } = wanted;
  let revision = token === undefined ? wanted.revision : token.revision < 0 ? undefined : token.revision;
  let after = token === undefined ? undefined : wanted.prefix + token.after;
  const { matches } = selection;
  const pacer = new Pacer(registry.services.clock);
  const found: StoredObject[] = [];
  for (;;) {
    const need = limit > 0 ? (matches ? Math.max(limit, 500) : limit) : undefined;
    const list = await read(registry, wanted, { revision, after, limit: need, count: limit > 0 && !matches });
    revision = list.revision;
    for (let i = 0; i < list.objects.length; i++) {
      const stored = list.objects[i] as StoredObject; // the index is within bounds
      // A selector inspects every object and may have to decode it, so let other work run in between.
      if (matches && pacer.isDue) await pacer.rest();
      if (matches && !matches(registry.form.object(stored))) continue;
      found.push(stored);
      if (limit === 0 || found.length < limit) continue;
      const more = list.more || i + 1 < list.objects.length;
      return page(registry, wanted, { found, revision, remaining: list.remaining, last: more ? stored : undefined });
    }
    if (!list.more) return page(registry, wanted, { found, revision, remaining: undefined, last: undefined });
    after = list.objects.at(-1)?.key;
  }
}

function page(
  { definition }: Registry,
  { prefix, selection }: Collection,
  state: {
    readonly found: readonly StoredObject[];
    readonly revision: number;
    readonly remaining: number | undefined;
    /** The last object of the page, if others follow it. */
    readonly last: StoredObject | undefined;
  },
): Page {
  const { found, revision, remaining, last } = state;
  if (last === undefined) return { objects: found, revision, continueToken: undefined, remaining: undefined };
  const token = { revision, after: last.key.slice(prefix.length) };
  const continueToken = encodeContinue(token, { uncached: definition.ttlSeconds !== undefined });
  return { objects: found, revision, continueToken, remaining: selection.matches ? undefined : remaining };
}

async function read(
  { services }: Registry,
  { prefix, token }: Collection,
  at: {
    readonly revision: number | undefined;
    readonly after: string | undefined;
    readonly limit: number | undefined;
    readonly count: boolean;
  },
): Promise<StorageList> {
  try {
    return await services.storage.list({ prefix, ...at });
  } catch (error) {
    if (error instanceof FutureRevisionError) throw tooLargeResourceVersion(at.revision ?? 0, error.revision);
    if (error instanceof CompactedError) throw token ? continueExpired(token) : tooOld();
    throw error;
  }
}

function tooOld(): StatusError {
  return expired('The resourceVersion for the provided list is too old.');
}

/** Builds a 410 whose token lets the client continue at the newest revision. */
function continueExpired(token: ContinueToken): StatusError {
  const { status } = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  return new StatusError({ ...status, metadata: { continue: encodeContinue({ revision: -1, after: token.after }) } });
}

/** Reports whether an object belongs in a list. */
export type Matches = (object: KubernetesObject) => boolean;
