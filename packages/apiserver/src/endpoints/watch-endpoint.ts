import { badRequest } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import { watchMediaType } from '../negotiation/index.ts';
import { type ListOptions, readListOptions, readSelection, type Selection } from '../registry/index.ts';
import { watchRepresentation } from '../tables/index.ts';
import type { WatchFilter } from '../watch/index.ts';
import { slotHolder } from './caller-class.ts';
import { formatOf, includeOf, namespaceOf, nowOf, type ResourceCall } from './resource-call.ts';

/** Serves a watch. */
export async function watchEndpoint(call: ResourceCall): Promise<ApiResponse> {
  const { registry, info, request, user } = call;
  const { privileged, username } = slotHolder(request, user);
  const { definition, services } = registry;
  const format = formatOf(call, 'event');
  const options = readListOptions(info.query, 'watch');
  const selection = selectionOf(call, options);
  const namespace = namespaceOf(call);
  const { resourceVersion, resourceVersionMatch, sendInitialEvents, allowWatchBookmarks, timeoutSeconds } = options;
  const body = await services.watchSource(definition).watch({
    representation: watchRepresentation(registry.form, format, { include: includeOf(call), now: nowOf(call) }),
    namespace: namespace === '' ? undefined : namespace,
    name: selection.name,
    filter: watchFilter(call, selection),
    resourceVersion,
    resourceVersionMatch,
    sendInitialEvents,
    allowWatchBookmarks,
    timeoutSeconds: timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds : undefined,
    owner: privileged ? undefined : username,
    signal: request.signal,
  });
  const type = watchMediaType(format);
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'no-cache, private' },
    body: format.mismatch ? untilFirstEvent(body) : body,
  };
}

const errorStart = Buffer.from('{"type":"ERROR"');

/**
 * Ends a watch whose client requested the form of a list, which a single object cannot have: upstream fails to encode
 * the first event and ends the stream. Passes on an error.
 */
async function* untilFirstEvent(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    if (Buffer.from(chunk).subarray(0, errorStart.length).equals(errorStart)) yield chunk;
    return;
  }
}

/** Reads the selectors of a watch. A name in the path restricts the watch to that object. */
function selectionOf({ registry, info }: ResourceCall, options: ListOptions): Selection {
  const { definition } = registry;
  const { pathName: name } = info;
  if (name !== '' && options.fieldSelector === '') {
    return readSelection({ ...options, fieldSelector: `metadata.name=${name}` }, definition);
  }
  const selection = readSelection(options, definition);
  if (name === '' || selection.name === name) return selection;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

function watchFilter({ registry }: ResourceCall, { id, matches, exact }: Selection): WatchFilter | undefined {
  if (!matches) return undefined;
  const { form } = registry;
  // As in lists, selectors apply to the fields of the served version. Each item is decoded only once for all watchers.
  return {
    id: `${form.apiVersion} ${form.definition.kind} ${id}`,
    matches: (item) => matches(form.object(item)),
    trigger: exact && {
      field: `${form.apiVersion} ${exact.field}`,
      value: exact.value,
      of: (item) => exact.of(form.object(item)),
    },
  };
}
