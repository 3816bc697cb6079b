import type { AuditEvent } from '../api-server-options.ts';
import type { ResourceCatalog } from '../registry/index.ts';
import type { RequestInfo } from '../request-info/index.ts';
import { Counter, Histogram, type Labels } from './metric-family.ts';

const durationBounds: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliBounds: readonly number[] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, ...durationBounds.filter((bound) => bound >= 1)];
const verbs: ReadonlyMap<string, string> = new Map([
  ['create', 'POST'],
  ['update', 'PUT'],
]);
const paths = new Set(['livez', 'readyz', 'healthz', 'version', 'metrics', 'openapi', 'api', 'apis']);

/**
 * Counts and times requests under kube-apiserver's names and labels (1.36). Pass {@link RequestMetrics.observe} to the server as
 * `audit`.
 */
export class RequestMetrics {
  readonly #catalog: ResourceCatalog;
  readonly #total = new Counter(
    'apiserver_request_total',
    'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
  );
  readonly #duration = new Histogram('apiserver_request_duration_seconds', {
    help: 'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    bounds: durationBounds,
  });
  /** The metric for alerts about latency. Unlike upstream, it includes time spent in webhooks. */
  readonly #sliDuration = new Histogram('apiserver_request_sli_duration_seconds', {
    help: 'Response latency distribution in seconds for each verb, group, version, resource, subresource, scope and component.',
    bounds: sliBounds,
  });

  constructor(catalog: ResourceCatalog) {
    this.#catalog = catalog;
  }

  /** Records a completed request. */
  readonly observe = (event: AuditEvent): void => {
    const { info, request, status, durationMs } = event;
    const labels = info ? this.#labels(info, request.method, request.headers['content-type']) : unknown(request.method);
    this.#total.add({ code: `${status}`, ...labels });
    if (labels['verb'] !== 'WATCH' && labels['verb'] !== 'CONNECT') {
      const { dry_run: _, ...others } = labels;
      this.#duration.observe(labels, durationMs / 1000);
      this.#sliDuration.observe(others, durationMs / 1000);
    }
  };

  render(): string {
    return this.#total.render() + this.#duration.render() + this.#sliDuration.render();
  }

  #labels(info: RequestInfo, method: string, contentType: string | undefined): Labels {
    const definition = info.isResource ? this.#catalog.find(info.group, info.version, info.resource) : undefined;
    // Names that clients can invent must not create permanent series.
    if (!definition) return { ...unknown(method), subresource: pathLabel(info.path) };
    const subresource = definition.subresources.get(info.subresource);
    return {
      component: 'apiserver',
      dry_run: info.query.get('dryRun') === 'All' ? 'All' : '',
      group: info.group,
      resource: info.resource,
      scope:
        info.pathName !== '' || info.verb === 'create' ? 'resource' : info.namespace !== '' ? 'namespace' : 'cluster',
      subresource: subresource ? info.subresource : '',
      verb: subresource?.behavior.type === 'connect' ? 'CONNECT' : verbLabel(info.verb, contentType),
      version: info.version,
    };
  }
}

function verbLabel(verb: string, contentType: string | undefined): string {
  if (verb === 'patch' && contentType?.startsWith('application/apply-patch+')) return 'APPLY';
  return verbs.get(verb) ?? verb.toUpperCase();
}

function unknown(method: string): Labels {
  const verb = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method) ? method : 'other';
  return {
    component: 'apiserver',
    dry_run: '',
    group: '',
    resource: '',
    scope: '',
    subresource: '',
    verb,
    version: '',
  };
}

function pathLabel(path: string): string {
  const [, first = ''] = path.split('/', 2);
  return paths.has(first) ? `/${first}` : '';
}
