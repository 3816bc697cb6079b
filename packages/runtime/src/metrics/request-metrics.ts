import type { Clock } from '@kubewright/apimachinery';
import type { ClientCall, TransportResponse } from '@kubewright/client';
import type { MetricFactory } from './metric-factory.ts';
import type { RuntimeMetrics } from './runtime-metrics.ts';

const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** 64 bytes to 16 MiB. */
const sizeBuckets = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/**
 * Counts responses by code, and failures below HTTP as `<error>`, like client-go's adapter. With a clock, keeps
 * client-go's histograms of durations and sizes too. As in client-go, watches and followed logs are counted but not
 * measured.
 */
export function requestMetrics(
  make: MetricFactory,
  clock: Pick<Clock, 'monotonic'> | undefined,
): RuntimeMetrics['clientInterceptor'] {
  const requests = make.counter('rest_client_requests_total', 'Requests by code, method and host', [
    'code',
    'method',
    'host',
  ]);
  const begin = clock && measuring(make, clock);
  return (host) => async (call, next) => {
    const { method } = call.request;
    const measured = call.request.longRunning ? undefined : begin?.(call, host);
    try {
      const response = await next(call);
      requests.inc({ code: String(response.status), method, host });
      return measured?.responded(response) ?? response;
    } catch (error) {
      requests.inc({ code: '<error>', method, host });
      measured?.ended();
      throw error;
    }
  };
}

interface MeasuredRequest {
  /** Passes the response on; the request ends when the response body has been read. */
  responded(response: TransportResponse): TransportResponse;
  /** Ends a request that got no response. */
  ended(): void;
}

function measuring(
  make: MetricFactory,
  clock: Pick<Clock, 'monotonic'>,
): (call: ClientCall, host: string) => MeasuredRequest {
  const seconds = make.histogram(
    'rest_client_request_duration_seconds',
    'Duration of requests until the end of the response',
    durationBuckets,
  );
  const sent = make.histogram('rest_client_request_size_bytes', 'Sizes of requests', sizeBuckets);
  const received = make.histogram('rest_client_response_size_bytes', 'Sizes of responses', sizeBuckets);
  return ({ request }, host) => {
    const labels = { verb: request.method, host };
    const startMs = clock.monotonic();
    const ended = (): void => {
      seconds.observe(labels, (clock.monotonic() - startMs) / 1000);
      sent.observe(labels, request.body?.byteLength ?? 0);
    };
    const onEnd = (bytes: number): void => {
      ended();
      received.observe(labels, bytes);
    };
    return { ended, responded: (response) => ({ ...response, body: countedBody(response.body, onEnd) }) };
  };
}

/** Passes the bytes on unchanged, and calls `onEnd` once when they have been read to the end or abandoned. */
function countedBody(body: AsyncIterable<Uint8Array>, onEnd: (bytes: number) => void): AsyncIterable<Uint8Array> {
  let isOver = false;
  let bytes = 0;
  const end = (): void => {
    if (!isOver) onEnd(bytes);
    isOver = true;
  };
  return {
    [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
      const chunks = body[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const chunk = await chunks.next();
            if (chunk.done) end();
            else bytes += chunk.value.byteLength;
            return chunk;
          } catch (error) {
            end();
            throw error;
          }
        },
        // A generator would not work: before it has started, it does not forward `return`, so the response would keep
        // its connection.
        async return() {
          end();
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
