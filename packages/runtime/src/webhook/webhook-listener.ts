import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, parseDurationMs } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { logEvents } from '../log/log-events.ts';
import { BodyReader } from './read-body.ts';
import type { WebhookParts, WebhookPathMetrics, WebhookReply } from './webhook-parts.ts';
import type { WebhookRoute } from './webhook-router.ts';

/** Maximum time for a response, even if the caller sets no timeout, in milliseconds; the API's own limit. */
const longestMs = 30_000;

/** Maximum total bytes of all reviews in progress: two of the largest conversions. */
const maxHeldBytes = 256 * 1024 * 1024;

/** Handles requests of a Node HTTP server with the routes of webhooks. */
export function webhookListener(
  routes: ReadonlyMap<string, WebhookRoute>,
  parts: WebhookParts,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { clock, metrics } = parts;
  const log = parts.log.named('webhook');
  const counters = new Map<string, WebhookPathMetrics>();
  const bodies = new BodyReader(maxHeldBytes);
  for (const path of routes.keys()) if (metrics) counters.set(path, metrics.path(path));

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '/', query = ''] = (request.url ?? '/').split('?');
    const route = routes.get(path);
    if (!route) return reply(response, { status: 404, text: '404 page not found\n' });
    const counter = counters.get(path);
    const started = clock.monotonic();
    counter?.started();
    let result: Reply = { status: 500, text: 'internal error\n' };
    try {
      result = await replyOf(route, { request, response, clock, bodies, timeoutMs: timeoutOf(query) });
    } catch (error) {
      log.error('a webhook request failed', { event: logEvents.webhookFailed, path, error });
    }
    reply(response, result);
    if (result.verdict) counter?.judged(result.verdict);
    counter?.finished(result.status, (clock.monotonic() - started) / 1000);
  };
  return (request, response) => void serve(request, response);
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly isJson?: boolean;
  readonly verdict?: WebhookReply['verdict'] | undefined;
}

async function replyOf(
  route: WebhookRoute,
  call: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly clock: Clock;
    readonly bodies: BodyReader;
    readonly timeoutMs: number;
  },
): Promise<Reply> {
  const { request, response, clock, bodies, timeoutMs } = call;
  if (request.method !== 'POST') return { status: 405, text: 'Method Not Allowed\n' };
  const use = async (body: Uint8Array): Promise<Reply> => {
    const deadline = new AbortController();
    const giveUp = (): void => deadline.abort(new Error('the API server no longer waits for the response'));
    using _timer = clock.setTimer(timeoutMs, giveUp, { unref: true });
    response.once('close', giveUp);
    const contentType = request.headers['content-type'];
    return asJson(await route.reply({ body, contentType, signal: deadline.signal }));
  };
  const reply = await bodies.read(request, { maxBytes: route.maxBytes, use });
  if (typeof reply !== 'string') return reply;
  // The rest of the body is not read, so the connection cannot be reused.
  response.setHeader('connection', 'close');
  return reply === 'too large' ? asJson(route.tooLarge) : { status: 503, text: 'too many requests at a time\n' };
}

function asJson({ status, json, verdict }: WebhookReply): Reply {
  return { status, text: `${stringifyJson(json)}\n`, isJson: true, verdict };
}

function reply(response: ServerResponse, { status, text, isJson = false }: Reply): void {
  if (response.destroyed || response.headersSent) return;
  const type = isJson ? 'application/json' : 'text/plain; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
  response.end(text);
}

/** The API server sends its timeout in the query: `?timeout=10s`. */
function timeoutOf(query: string): number {
  const timeout = new URLSearchParams(query).get('timeout');
  if (timeout === null) return longestMs;
  try {
    const ms = parseDurationMs(timeout);
    return ms > 0 ? Math.min(ms, longestMs) : longestMs;
  } catch {
    // Treat an invalid duration like a missing one.
    return longestMs;
  }
}
