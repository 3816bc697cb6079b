import { type Clock, isGone } from '@kubewright/apimachinery';
import { ListSplitter } from '../scan/list-splitter.ts';
import { abortable } from './abortable.ts';
import { IdleTimeout } from './idle-timeout.ts';
import type { ListWatcher } from './list-watcher.ts';
import type { ReflectorSink } from './reflector-sink.ts';
import { TimeSlice } from './time-slice.ts';

const pageSize = 500;
/** Time without a byte after which a list times out, in milliseconds. */
const idleMs = 60_000;
/** Bytes processed between two checks of the clock. */
const pieceBytes = 256 * 1024;

/** Options for {@link listOnce}. */
export interface ListOnceOptions {
  readonly listWatcher: ListWatcher;
  readonly sink: ReflectorSink;
  readonly clock: Clock;
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

/** Lists all objects into the sink, page by page if paging is used, and returns the list's version. */
export async function listOnce(options: ListOnceOptions): Promise<string> {
  const { resourceVersion, sink } = options;
  // A version other than 0 is served from the server's cache, which does not support paging.
  const limit = resourceVersion === '' || resourceVersion === '0' ? pageSize : undefined;
  sink.beginListing();
  let page = await listPage(options, { resourceVersion, limit });
  const version = page.resourceVersion;
  while (page.continue !== '') {
    try {
      page = await listPage(options, { limit, continue: page.continue });
    } catch (error) {
      if (!isGone(error)) throw error;
      // The snapshot behind the pages has expired: list again without paging.
      sink.beginListing();
      page = await listPage(options, { resourceVersion: '' });
    }
  }
  const reached = page.resourceVersion === '' ? version : page.resourceVersion;
  sink.endListing(reached);
  return reached;
}

interface Page {
  readonly resourceVersion: string;
  readonly continue: string;
}

interface PageRequest {
  readonly resourceVersion?: string;
  readonly limit?: number | undefined;
  readonly continue?: string;
}

async function listPage(options: ListOnceOptions, request: PageRequest): Promise<Page> {
  const { listWatcher, sink, clock, signal } = options;
  const { resourceVersion, ...paging } = request;
  const versioned = resourceVersion === undefined || resourceVersion === '' ? {} : { resourceVersion };
  const splitter = new ListSplitter((bytes, start, end) => void sink.put(bytes, start, end));
  const slice = new TimeSlice(clock);
  using guard = new IdleTimeout({ clock, signal, idleMs });
  const { body } = await listWatcher.list({ ...paging, ...versioned, signal: guard.signal });
  for await (const chunk of abortable(body, guard.signal)) {
    guard.touch();
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      await slice.work(() => splitter.push(chunk.subarray(at, at + pieceBytes)));
    }
    body.reclaim?.(chunk);
  }
  const { metadata } = splitter.finish() as { readonly metadata?: Readonly<Record<string, unknown>> };
  return { resourceVersion: text(metadata?.['resourceVersion']), continue: text(metadata?.['continue']) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
