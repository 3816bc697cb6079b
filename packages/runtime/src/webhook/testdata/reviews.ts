import { VirtualClock } from '@kubewright/apimachinery';
import { type CustomResource, type DefinedKind, defineKind } from '../../kind/index.ts';
import { jsonLogger } from '../../log/json-logger.ts';
import type { WebhookDefinition } from '../webhook-definition.ts';
import type { WebhookMetrics, WebhookParts } from '../webhook-parts.ts';
import { webhookRoutes } from '../webhook-router.ts';

export interface SiteSpec {
  readonly title: string;
  readonly pages?: number;
}

export const Site: DefinedKind<CustomResource<SiteSpec>> = defineKind<SiteSpec>({ group: 'web.example.com', version: 'v1', kind: 'Site' });

export function site(spec: object, metadata: object = {}): Record<string, unknown> {
  const head = { apiVersion: 'web.example.com/v1', kind: 'Site' };
  return { ...head, metadata: { name: 'a', namespace: 'shop', ...metadata }, spec };
}

/** A review as the API server sends it. */
export function review(request: object, apiVersion = 'admission.k8s.io/v1'): Record<string, unknown> {
  return {
    kind: 'AdmissionReview',
    apiVersion,
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group: 'web.example.com', version: 'v1', kind: 'Site' },
      resource: { group: 'web.example.com', version: 'v1', resource: 'sites' },
      name: 'a',
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'ann', groups: ['system:authenticated'] },
      object: null,
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      ...request,
    },
  };
}

/** Serves webhooks without a socket, and keeps their logs and counts. */
export interface Served {
  readonly post: (path: string, body: unknown, contentType?: string) => Promise<any>;
  readonly lines: readonly Record<string, unknown>[];
  readonly counts: { readonly panics: readonly string[] };
}

export function served(webhooks: readonly WebhookDefinition[], more: Partial<WebhookParts> = {}): Served {
  const lines: Record<string, unknown>[] = [];
  const counts = { panics: [] as string[] };
  const metrics: WebhookMetrics = {
    path: () => ({ started() {}, finished() {}, judged() {} }),
    panicked: (what) => void counts.panics.push(what),
  };
  const log = jsonLogger({ level: 'debug', destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const routes = webhookRoutes(webhooks, { clock: new VirtualClock(), log, metrics, ...more });
  const post = async (path: string, body: unknown, contentType = 'application/json'): Promise<any> => {
    const bytes = typeof body === 'string' ? body : JSON.stringify(body);
    const call = { body: Buffer.from(bytes), contentType, signal: new AbortController().signal };
    const route = routes.get(path);
    if (!route) throw new Error(`nothing at ${path}`);
    const { status, json } = await route.reply(call);
    return { status, ...(json as object) };
  };
  return { post, lines, counts };
}

/** Returns the decoded patch of a response. */
export function patchOf(response: { readonly patch?: string; readonly patchType?: string }): unknown {
  if (response.patch === undefined) return undefined;
  return JSON.parse(Buffer.from(response.patch, 'base64').toString('utf8'));
}
