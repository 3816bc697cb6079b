import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock, systemRandom as random, type UnstructuredObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { type CustomResource, controller, defineKind, silentLogger as log, Manager } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { kustomize } from '../../packages/cli/src/render/kustomize.ts';
import { build } from '../main-job/repository.ts';
import { type MetricFamily, readMetrics } from '../runtime/metric-families.ts';
import { polled } from '../runtime/polled.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';
import { allowsConnection, type Caller, type NetworkPolicy } from './network-policy.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Service {
  readonly spec: {
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly { readonly name?: string; readonly port: number; readonly targetPort: number }[];
  };
}

const folder = mkdtempSync(join(tmpdir(), 'kw-monitoring-'));
const crd = join(import.meta.dirname, 'testdata/servicemonitor-crd.yaml');
let kubewright: CommandLine;
let cafe: CliProject;
let cluster: EmbeddedCluster;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  cafe = await cliProject(kubewright, 'cafe');
  const kind = ['--group', 'cafe', '--version', 'v1', '--kind', 'Cafe'];
  expect(await cafe.run('create', 'webhook', ...kind, '--validation')).toMatchObject({ code: 0 });
  expect(await cafe.run('generate')).toMatchObject({ code: 0, stderr: '' });
  cluster = await EmbeddedCluster.start({ directory: join(folder, 'cluster'), clock, random, log });
}, 120_000);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  kubewright?.[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

const rendered = (part: string): readonly UnstructuredObject[] =>
  kustomize(join(cafe.root, 'config', part), { root: cafe.root });
const useCertManager = async (): Promise<void> => {
  cafe.edit('package.json', (text) =>
    text.replace('"domain": "example.com"', '"domain": "example.com", "certificates": "cert-manager"'),
  );
  expect(await cafe.run('generate')).toMatchObject({ code: 0, stderr: '' });
};

describe('network policies', () => {
  const namespace = 'cafe-system';
  const labels = { 'control-plane': 'controller-manager', 'app.kubernetes.io/name': 'cafe' };
  const manager = { namespace, labels };
  const pod = (namespaceLabels: Readonly<Record<string, string>>, own = {}): Caller => ({
    namespace: 'elsewhere',
    namespaceLabels,
    labels: own,
  });
  const reader = pod({ metrics: 'enabled' });
  const stranger = pod({});
  const policies = (): readonly NetworkPolicy[] =>
    rendered('network-policy').map(
      (object) => ({ ...object, metadata: { ...object.metadata, namespace } }) as unknown as NetworkPolicy,
    );
  /** Returns the target port of a Service. Network policies match target ports, not Service ports. */
  const behind = (name: string): number => {
    const services = rendered('default').filter((object) => object.metadata?.name === name) as unknown as Service[];
    expect(services[0]?.spec.selector).toEqual(labels);
    return services[0]?.spec.ports[0]?.targetPort ?? 0;
  };

  it('admit metrics readers from labeled namespaces, webhook callers from anywhere, and no one else', () => {
    const metrics = behind('cafe-controller-manager-metrics-service');
    const webhook = behind('cafe-webhook-service');
    const table = [
      { from: reader, port: metrics, lets: true },
      { from: stranger, port: metrics, lets: false },
      { from: pod({ metrics: 'disabled' }), port: metrics, lets: false },
      // A pod label is not enough: anyone can label their own pods.
      { from: pod({}, { metrics: 'enabled' }), port: metrics, lets: false },
      { from: 'outside' as const, port: metrics, lets: false },
      // The API server calls webhooks from outside any namespace.
      { from: 'outside' as const, port: webhook, lets: true },
      { from: stranger, port: webhook, lets: true },
      { from: reader, port: 8081, lets: false },
    ];
    const found = table.map(({ from, port }) => allowsConnection(policies(), { from, to: manager, port }));
    expect(found).toEqual(table.map(({ lets }) => lets));
  });

  it('do not affect other pods in the namespace or other namespaces', () => {
    for (const to of [
      { namespace, labels: { app: 'other' } },
      { namespace: 'elsewhere', labels },
    ])
      expect(allowsConnection(policies(), { from: stranger, to, port: 8443 })).toBe(true);
  });

  it('would block the API server with the port of the Service, as kubebuilder 4 writes it', () => {
    const naive = policies().map((policy) => JSON.parse(JSON.stringify(policy).replaceAll('9443', '443')));
    expect(allowsConnection(naive, { from: 'outside', to: manager, port: behind('cafe-webhook-service') })).toBe(false);
  });
});

describe('the monitor for the Prometheus operator', () => {
  const monitors = strictMonitors();
  const definition = 'servicemonitors.monitoring.coreos.com';
  beforeAll(async () => {
    await applyManifests(cluster.client(), { files: [crd], fieldManager: 'test' });
    const metadata = { name: 'system' };
    await cluster.client().resource(Namespace).create(Namespace({ metadata }));
    await polled(async () => {
      const { status } = await cluster.client().resource(CustomResourceDefinition).get({ name: definition });
      return status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True') ?? false;
    }, 'the kind is served');
  });

  it('passes strict validation, and names a port of the Service that it selects', async () => {
    const [monitor] = rendered('prometheus');
    await monitors.create(monitor);
    const { endpoints, selector } = spec(monitor);
    expect(endpoints[0]?.tlsConfig).toEqual({ insecureSkipVerify: true });
    const service = rendered('default').find(({ metadata }) => metadata?.name?.endsWith('metrics-service'));
    expect(service?.metadata?.labels).toMatchObject(selector.matchLabels);
    expect((service as unknown as Service).spec.ports.map(({ name }) => name)).toContain(endpoints[0]?.port);
  });

  it('is rejected with an unknown field, a wrong scheme or no selector', async () => {
    const [monitor] = rendered('prometheus');
    const changed = (from: RegExp, to: string): unknown => JSON.parse(JSON.stringify(monitor).replace(from, to));
    await expect(monitors.create(changed(/bearerTokenFile/, 'bearerTokenPath'))).rejects.toThrow(
      /unknown field "spec\.endpoints\[0\]\.bearerTokenPath"/,
    );
    await expect(monitors.create(changed(/"scheme":"https"/, '"scheme":"tls"'))).rejects.toThrow(/Unsupported value/);
    const { selector: _selector, ...rest } = spec(monitor);
    await expect(monitors.create({ ...monitor, spec: rest })).rejects.toThrow(/spec\.selector: Required/);
  });

  it('verifies the server certificate if cert-manager signs it', async () => {
    await useCertManager();
    const [monitor] = rendered('prometheus');
    await monitors.create(monitor);
    const [endpoint] = spec(monitor).endpoints;
    expect(endpoint?.tlsConfig).toEqual({
      serverName: 'cafe-controller-manager-metrics-service.cafe-system.svc',
      insecureSkipVerify: false,
      ca: { secret: { name: 'metrics-server-cert', key: 'ca.crt' } },
    });
    const certificates = rendered('default').filter(({ kind }) => kind === 'Certificate');
    expect(JSON.stringify(certificates)).toContain(`"${endpoint?.tlsConfig.serverName}"`);
  });

  function spec(monitor: UnstructuredObject | undefined) {
    return (monitor as unknown as { readonly spec: MonitorSpec }).spec;
  }
});

interface MonitorSpec {
  readonly endpoints: readonly { readonly port: string; readonly tlsConfig: { readonly serverName?: string } }[];
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
}

/** Creates monitors with dry run and strict field validation. */
function strictMonitors() {
  const kind = defineKind<MonitorSpec>({ group: 'monitoring.coreos.com', version: 'v1', kind: 'ServiceMonitor' });
  return {
    create: (object: unknown) =>
      cluster
        .client()
        .resource(kind)
        // The cast bypasses the compiler's check, so that invalid monitors reach the server, which must reject them.
        .create(object as CustomResource<MonitorSpec>, { dryRun: true, fieldValidation: 'Strict' }),
  };
}

interface Dashboard {
  readonly uid: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
    readonly datasource?: { readonly uid: string };
    readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
  }[];
}

describe('dashboards', () => {
  const Cafe = defineKind<{ readonly message: string }>({ group: 'cafe.example.com', version: 'v1', kind: 'Cafe' });
  let manager: Manager;
  let families: ReadonlyMap<string, MetricFamily>;
  let boards: readonly { readonly name: string; readonly board: Dashboard }[];
  beforeAll(async () => {
    const files = [join(cafe.root, 'config/crd/bases/cafe.example.com_cafes.yaml')];
    await applyManifests(cluster.client(), { files, fieldManager: 'test' });
    const cafes = controller({ for: Cafe, reconcile: async () => undefined });
    manager = new Manager({
      controllers: [cafes],
      kubeconfig: cluster.kubeconfig,
      metricsBindAddress: '127.0.0.1:0',
      leaderElection: { id: 'cafe', namespace: 'default' },
      handleSignals: false,
      log,
    });
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    const metadata = { name: 'one', namespace: 'default' };
    await cluster
      .client()
      .resource(Cafe)
      .create({ apiVersion: 'cafe.example.com/v1', kind: 'Cafe', metadata, spec: { message: 'hi' } });
    const isDone = /reconcile_total\{controller="cafe",result="success"\} [1-9]/;
    await polled(async () => isDone.test(await scrape()), 'a reconcile is counted');
    families = readMetrics((await scrape()).split('\n'));
    boards = readdirSync(join(cafe.root, 'grafana')).map((name) => ({
      name,
      board: JSON.parse(readFileSync(join(cafe.root, 'grafana', name), 'utf8')) as Dashboard,
    }));
  });
  afterAll(() => manager?.[Symbol.asyncDispose]());

  const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`)).text();
  const queries = () => boards.flatMap(({ board }) => board.panels).flatMap(({ targets = [] }) => targets);
  const familyOf = (metric: string): MetricFamily | undefined => {
    const found = families.get(metric) ?? families.get(metric.replace(/_(bucket|sum|count)$/, ''));
    return metric.endsWith('_bucket') && found?.type !== 'histogram' ? undefined : found;
  };
  const selected = (expr: string) => [...expr.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)];

  it("have the names of the dashboards in kubebuilder's plugin, plus one of our own", () => {
    expect(boards.map(({ name }) => name).sort()).toEqual([
      'controller-resources-metrics.json',
      'controller-runtime-metrics.json',
      'kubewright-metrics.json',
    ]);
    // Our dashboards must query all metrics that kubebuilder's two dashboards query.
    const all = queries()
      .map(({ expr }) => expr)
      .join('\n');
    for (const metric of [
      'controller_runtime_active_workers',
      'controller_runtime_reconcile_total',
      'controller_runtime_reconcile_errors_total',
      'workqueue_depth',
      'workqueue_queue_duration_seconds_bucket',
      'workqueue_adds_total',
      'workqueue_unfinished_work_seconds',
      'workqueue_work_duration_seconds_bucket',
      'workqueue_retries_total',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
    ])
      expect(all).toContain(`${metric}{`);
  });

  it('query only metrics and labels that a running operator exports', () => {
    expect(queries().length).toBeGreaterThan(25);
    // Labels that Prometheus adds when it scrapes.
    const added = ['job', 'namespace', 'pod', 'instance', 'le'];
    const wrong = queries().flatMap(({ expr }) => {
      const metrics = selected(expr);
      expect(metrics.length, expr).toBeGreaterThan(0);
      return metrics.flatMap(([, metric = '', matchers = '']) => {
        const family = familyOf(metric);
        if (!family) return [`${metric}: no such metric`];
        const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
        const labels = [...grouped, ...[...matchers.matchAll(/(\w+)=/g)].map(([, label = '']) => label)];
        // A family without series has no labels to check.
        if (family.labels.length === 0) return [];
        return labels.filter((label) => ![...added, ...family.labels].includes(label)).map((l) => `${metric}: no ${l}`);
      });
    });
    expect(wrong).toEqual([]);
    expect(familyOf('controller_runtime_reconciles_total')).toBeUndefined();
  });

  it('use a selectable Prometheus data source, and contain no overlapping panels', () => {
    for (const { name, board } of boards) {
      expect(board.templating.list.map((each) => `${each.type} ${each.name}`)).toEqual([
        'datasource DS_PROMETHEUS',
        'query job',
        'query namespace',
        'query pod',
      ]);
      const diagrams = board.panels.filter(({ type }) => type !== 'row');
      const sources = diagrams.flatMap(({ datasource, targets = [] }) => [
        datasource,
        ...targets.map((t) => t.datasource),
      ]);
      expect(new Set(sources.map((source) => source?.uid))).toEqual(new Set(['$DS_PROMETHEUS']));
      expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
      const cells = board.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
        Array.from({ length: h * w }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
      );
      expect(new Set(cells).size, name).toBe(cells.length);
      expect(Math.max(...board.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
    }
    expect(new Set(boards.map(({ board }) => board.uid)).size).toBe(boards.length);
  });

  it('are regenerated with the types, but not once a user owns one', async () => {
    const path = 'grafana/kubewright-metrics.json';
    const made = cafe.read(path);
    cafe.edit(path, (text) => text.replace('"Caches"', '"My caches"'));
    await cafe.run('generate');
    expect(cafe.read(path)).toBe(made);
    cafe.edit(path, (text) => text.replace(/\n {2}"description": "Generated.*/, '').replace('"Caches"', '"My caches"'));
    const { stdout } = await cafe.run('generate');
    expect(stdout).toContain(`! kept (your own)      ${path}\n`);
    expect(cafe.read(path)).toContain('"My caches"');
    expect(JSON.parse(cafe.read(path))).not.toHaveProperty('description');
  });
});
