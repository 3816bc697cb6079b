import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';
import { Counter, Histogram, renderGauge } from './metric-family.ts';
import { ServerMetrics } from './metrics-handler.ts';

describe('metric families', () => {
  it('renders counters with their labels', () => {
    const counter = new Counter('x_total', 'Help.');
    counter.add({ a: 'one' });
    counter.add({ a: 'one' }, 2);
    counter.add({ a: 'q"\\\n' });
    expect(counter.render()).toBe(
      '# HELP x_total Help.\n# TYPE x_total counter\nx_total{a="one"} 3\nx_total{a="q\\"\\\\\\n"} 1\n',
    );
  });

  it('renders histograms with cumulative buckets', () => {
    const histogram = new Histogram('x_seconds', { help: 'Help.', bounds: [0.5, 1] });
    for (const value of [0.25, 0.5, 0.75, 2]) histogram.observe({}, value);
    expect(histogram.render().split('\n').slice(2, -1)).toEqual([
      'x_seconds_bucket{le="0.5"} 2',
      'x_seconds_bucket{le="1"} 3',
      'x_seconds_bucket{le="+Inf"} 4',
      'x_seconds_sum 3.5',
      'x_seconds_count 4',
    ]);
  });

  it('formats numbers like Go', () => {
    const samples = [1, 1.5, 1e-7, 1e21, Number.POSITIVE_INFINITY].map((value) => [{}, value] as const);
    expect(renderGauge('x', { help: 'h', samples }).split('\n').slice(2, -1)).toEqual([
      'x 1',
      'x 1.5',
      'x 1e-07',
      'x 1e+21',
      'x +Inf',
    ]);
  });
});

describe('ServerMetrics', () => {
  let server: TestServer;
  beforeEach(async () => {
    const parts: { metrics?: ServerMetrics } = {};
    server = await TestServer.start({
      nonResourceHandlers: [(context) => parts.metrics?.handler(context)],
      audit: (event) => parts.metrics?.audit(event),
    });
    parts.metrics = new ServerMetrics({
      catalog: server.catalog,
      storage: server.storage,
      watches: () => server.server.watches,
    });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const lines = async (start: string): Promise<readonly string[]> =>
    (await server.get('/metrics')).text.split('\n').filter((line) => line.startsWith(start));

  it('counts requests by their labels', async () => {
    await server.get('/api/v1/namespaces/default/configmaps');
    await server.get('/api/v1/namespaces/default/configmaps');
    await server.get('/api/v1/namespaces/default/configmaps/none');
    await server.post('/api/v1/namespaces/default/configmaps?dryRun=All', { metadata: { name: 'x' } });
    const labels = 'group="",resource="configmaps"';
    expect((await lines('apiserver_request_total')).filter((line) => line.includes(labels))).toEqual([
      `apiserver_request_total{code="200",component="apiserver",dry_run="",${labels},scope="namespace",subresource="",verb="LIST",version="v1"} 2`,
      `apiserver_request_total{code="404",component="apiserver",dry_run="",${labels},scope="resource",subresource="",verb="GET",version="v1"} 1`,
      `apiserver_request_total{code="201",component="apiserver",dry_run="All",${labels},scope="resource",subresource="",verb="POST",version="v1"} 1`,
    ]);
    const counts = (await lines('apiserver_request_duration_seconds_count')).filter((line) => line.includes(labels));
    expect(counts).toHaveLength(3);
    const sli = (await lines('apiserver_request_sli_duration_seconds_count')).filter((line) => line.includes(labels));
    expect(sli).toHaveLength(3);
    expect(sli.join()).not.toContain('dry_run');
  });

  it('has the families that dashboards and alerts of kubernetes-mixin use', async () => {
    const types = (await lines('# TYPE')).map((line) => line.split(' ')[2]);
    expect(types).toEqual(
      expect.arrayContaining([
        'apiserver_request_total',
        'apiserver_request_duration_seconds',
        'apiserver_request_sli_duration_seconds',
        'apiserver_current_inflight_requests',
        'apiserver_longrunning_requests',
        'apiserver_resource_objects',
        'apiserver_storage_objects',
        'process_cpu_seconds_total',
        'process_resident_memory_bytes',
        'process_start_time_seconds',
      ]),
    );
  });

  it('creates no series for names that clients invent', async () => {
    for (const n of [1, 2, 3]) await server.get(`/apis/invented${n}/v1/things${n}`);
    for (const n of [1, 2, 3]) await server.get(`/nowhere/${n}`);
    await server.send('BREW', '/pot');
    const text = (await lines('apiserver_request')).join('\n');
    expect(text).not.toMatch(/invented|things|nowhere|pot|BREW/);
  });

  it('counts objects and open watches', async () => {
    const abort = new AbortController();
    const path = '/api/v1/namespaces?watch=true';
    const { body } = await server.server.handle(server.request('GET', path, { signal: abort.signal }));
    expect(await lines('apiserver_resource_objects{group="",resource="namespaces"}')).toEqual([
      'apiserver_resource_objects{group="",resource="namespaces"} 2',
    ]);
    expect(await lines('apiserver_storage_objects{resource="namespaces"}')).toEqual([
      'apiserver_storage_objects{resource="namespaces"} 2',
    ]);
    expect(await lines('apiserver_longrunning_requests')).toEqual([
      'apiserver_longrunning_requests{component="apiserver",group="",resource="namespaces",verb="WATCH",version="v1"} 1',
    ]);
    abort.abort();
    await (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
    expect(await lines('apiserver_longrunning_requests')).toEqual([]);
  });
});
