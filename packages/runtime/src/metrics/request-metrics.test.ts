import { VirtualClock } from '@kubewright/apimachinery';
import type { ClientCall, TransportResponse } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { prometheusMetrics } from './prometheus-metrics.ts';

const get: ClientCall = { verb: 'get', attempt: 1, request: { method: 'GET', path: '/' } };
const post: ClientCall = {
  verb: 'create',
  attempt: 1,
  request: { method: 'POST', path: '/', body: new Uint8Array(300) },
};
const watch: ClientCall = { verb: 'watch', attempt: 1, request: { method: 'GET', path: '/', longRunning: true } };

async function setUp(clock?: VirtualClock) {
  const metrics = prometheusMetrics({ histogramsOfRequests: clock });
  const intercept = metrics.clientInterceptor('10.0.0.1:6443');
  const gaveUp: string[] = [];
  const answer = (chunks: readonly number[]): TransportResponse => ({
    status: 200,
    headers: {},
    body: (async function* () {
      try {
        for (const size of chunks) {
          await clock?.advance(100);
          yield new Uint8Array(size);
        }
      } finally {
        gaveUp.push('over');
      }
    })(),
  });
  const lines = async (): Promise<readonly string[]> =>
    (await metrics.render()).text.split('\n').filter((line) => line.startsWith('rest_client_'));
  return { intercept, answer, gaveUp, lines };
}

async function read({ body }: TransportResponse): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.byteLength;
  return bytes;
}

describe('requestMetrics', () => {
  it('counts only responses by default', async () => {
    const { intercept, answer, lines } = await setUp();
    await read(await intercept(get, async () => answer([10])));
    expect(await lines()).toEqual(['rest_client_requests_total{code="200",method="GET",host="10.0.0.1:6443"} 1']);
  });

  it('measures durations and sizes to the end of the response, with the names and buckets of client-go', async () => {
    const clock = new VirtualClock();
    const { intercept, answer, lines } = await setUp(clock);
    expect(await read(await intercept(post, async () => answer([1_000, 500])))).toBe(1_500);
    const labels = 'verb="POST",host="10.0.0.1:6443"';
    const all = await lines();
    expect(all).toContain(`rest_client_request_duration_seconds_sum{${labels}} 0.2`);
    expect(all).toContain(`rest_client_request_size_bytes_sum{${labels}} 300`);
    expect(all).toContain(`rest_client_response_size_bytes_sum{${labels}} 1500`);
    const bounds = (name: string) =>
      all.flatMap((line) => (line.startsWith(`${name}_bucket`) ? [/le="([^"]+)"/.exec(line)?.[1]] : []));
    expect(bounds('rest_client_request_duration_seconds').join()).toBe(
      '0.005,0.025,0.1,0.25,0.5,1,2,4,8,15,30,60,+Inf',
    );
    expect(bounds('rest_client_response_size_bytes').join()).toBe(
      '64,256,512,1024,4096,16384,65536,262144,1.048576e+06,4.194304e+06,1.6777216e+07,+Inf',
    );
  });

  it('measures failed and abandoned requests, releases their connections, and leaves watches out', async () => {
    const clock = new VirtualClock();
    const { intercept, answer, gaveUp, lines } = await setUp(clock);
    const failing = intercept(get, async () => {
      await clock.advance(400);
      throw new Error('lost');
    });
    await expect(failing).rejects.toThrow('lost');
    for await (const _ of (await intercept(get, async () => answer([7, 7]))).body) break;
    await read(await intercept(watch, async () => answer([9])));
    expect(gaveUp).toEqual(['over', 'over']);
    const labels = 'verb="GET",host="10.0.0.1:6443"';
    const all = await lines();
    expect(all).toContain(`rest_client_request_duration_seconds_count{${labels}} 2`);
    expect(all).toContain(`rest_client_request_duration_seconds_sum{${labels}} 0.5`);
    expect(all).toContain(`rest_client_response_size_bytes_count{${labels}} 1`);
    expect(all).toContain('rest_client_requests_total{code="<error>",method="GET",host="10.0.0.1:6443"} 1');
    expect(all).toContain('rest_client_requests_total{code="200",method="GET",host="10.0.0.1:6443"} 2');
  });
});
