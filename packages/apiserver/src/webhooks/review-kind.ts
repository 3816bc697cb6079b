import { WebhookCallError } from './webhook-call-error.ts';
import type { WebhookReply } from './webhook-reply.ts';

/** The type of the review that was sent. */
export interface ReviewKind {
  /** `admission.k8s.io` or `apiextensions.k8s.io` */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Kinds that upstream's decoder accepts in every group. */
const metaKinds = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'Status',
  'UpdateOptions',
  'WatchEvent',
]);

/**
 * Checks that a response has the type and version of the review that was sent. A response without a type is accepted.
 *
 * @throws WebhookCallError with the message of upstream's decoder (1.36)
 */
export function checkReviewKind(response: WebhookReply, sent: ReviewKind): void {
  const { kind = '', apiVersion = '' } = response;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') {
    const what = typeof (typeof kind === 'string' ? apiVersion : kind);
    throw new WebhookCallError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${what}`);
  }
  const wanted = `${sent.group}/${sent.version}`;
  if ((kind === '' || kind === sent.kind) && (apiVersion === '' || apiVersion === wanted)) return;
  const [group, version = ''] = apiVersion.split('/');
  const shownKind = kind === '' ? sent.kind : kind;
  const isKnown = shownKind === sent.kind || metaKinds.has(shownKind);
  if (group === sent.group && ['v1', 'v1beta1'].includes(version) && isKnown) {
    const from = `${version}.${shownKind}`;
    throw new WebhookCallError(`converting (${from}) to (${sent.version}.${sent.kind}): unknown conversion`);
  }
  throw new WebhookCallError(
    `no kind ${JSON.stringify(shownKind)} is registered for version ${JSON.stringify(apiVersion || wanted)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** Formats a type as Go does in `expected webhook response of …, got …`. */
export function shownType({ kind, apiVersion }: { readonly kind?: unknown; readonly apiVersion?: unknown }): string {
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  return `${version.includes('/') ? version : `/${version}`}, Kind=${typeof kind === 'string' ? kind : ''}`;
}
