import type {
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '@kubewright/apimachinery/admissionregistration/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { AdmissionWebhook, WebhookDefinition } from './webhook-definition.ts';
import { WebhookError } from './webhook-error.ts';

/** Options for {@link webhookConfigurations}. */
export interface WebhookConfigurationsOptions {
  /** Names of both configurations. @defaultValue kubebuilder's names, without a prefix */
  readonly names?: { readonly mutating?: string; readonly validating?: string };
  /**
   * The Service in front of the webhook server. @defaultValue kubebuilder's Service: `webhook-service` in `system`, for kustomize
   *
   * If the Service's namespace is known, webhooks for built-in kinds without a `namespaceSelector` exclude this
   * namespace and `kube-system`, because a failed operator must not prevent its own pods from starting.
   */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /**
   * Replaces `service`: the URL at which the API server reaches this process, such as `https://127.0.0.1:9443`. Include
   * the port, so that a configuration that already contains the CA (`ownAuthority({ url })`) can be reapplied
   * unchanged.
   */
  readonly url?: string;
  /** PEM of the CA if it is known; `ownAuthority` and cert-manager's injector set it later. */
  readonly ca?: string;
}

/**
 * Creates the objects that register declared webhooks with the API server, like controller-gen does from markers. Webhooks
 * without rules are left out; conversions are registered in CustomResourceDefinitions, not here.
 * @throws WebhookError (KW3031) if two webhooks have the same name, if a `url` is not `https`, or if a `url` is
 * combined with a `service`.
 *
 * @example
 * ```ts
 * const objects = webhookConfigurations([validator(Website, rules)]);
 * ```
 */
export function webhookConfigurations(
  webhooks: readonly WebhookDefinition[],
  options: WebhookConfigurationsOptions = {},
): readonly (MutatingWebhookConfiguration | ValidatingWebhookConfiguration)[] {
  const { names = {}, service, url } = options;
  if (service !== undefined && url !== undefined)
    throw new WebhookError({
      what: 'webhooks cannot have both "service" and "url"',
      remedy: 'remove "service" or "url"',
    });
  const admission = webhooks.filter(
    (webhook): webhook is AdmissionWebhook =>
      (webhook.type === 'mutating' || webhook.type === 'validating') && webhook.rules.length > 0,
  );
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const [mutating, validating] = (['mutating', 'validating'] as const).map((type) =>
    admission.filter((webhook) => webhook.type === type).map((webhook) => entry(webhook, options)),
  );
  checkNames([...(mutating ?? []), ...(validating ?? [])]);
  const configurations: (MutatingWebhookConfiguration | ValidatingWebhookConfiguration)[] = [];
  if (mutating && mutating.length > 0) {
    const metadata = { name: names.mutating ?? 'mutating-webhook-configuration' };
    configurations.push({ apiVersion, kind: 'MutatingWebhookConfiguration', metadata, webhooks: mutating });
  }
  if (validating && validating.length > 0) {
    const metadata = { name: names.validating ?? 'validating-webhook-configuration' };
    configurations.push({ apiVersion, kind: 'ValidatingWebhookConfiguration', metadata, webhooks: validating });
  }
  return configurations;
}

type Entry = NonNullable<MutatingWebhookConfiguration['webhooks']>[number];

function entry(webhook: AdmissionWebhook, options: WebhookConfigurationsOptions): Entry {
  const { type, path, kind, registration } = webhook;
  const { name, failurePolicy = 'Fail', sideEffects = 'None', reinvocationPolicy, ...rest } = registration;
  return {
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfig(path, options),
    failurePolicy,
    name: name ?? defaultName(type, kind ?? { kind: path.replace(/\W+/g, '-').replace(/^-|-$/g, ''), version: 'v1' }),
    rules: webhook.rules.map(
      ({ groups, versions, resources, operations, scope }): RuleWithOperations => ({
        apiGroups: groups,
        apiVersions: versions,
        operations,
        resources,
        ...defined({ scope }),
      }),
    ),
    sideEffects,
    ...(isForBuiltIn(webhook) && namespaceSelector(options.service?.namespace)),
    ...rest,
    ...(type === 'mutating' && reinvocationPolicy !== undefined && { reinvocationPolicy }),
  };
}

/**
 * Reports whether the rules cover an API group of Kubernetes: a group without a dot, or a group that ends in `.k8s.io`.
 */
function isForBuiltIn({ rules }: AdmissionWebhook): boolean {
  return rules.some(({ groups }) => groups.some((group) => !group.includes('.') || group.endsWith('.k8s.io')));
}

function namespaceSelector(own: string | undefined): Pick<Entry, 'namespaceSelector'> {
  if (own === undefined) return {};
  const values = ['kube-system', ...(own === 'kube-system' ? [] : [own])];
  return {
    namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }] },
  };
}

/** Returns the name that kubebuilder scaffolds, such as `vpostgresql-v1.kb.io`. */
function defaultName(
  type: AdmissionWebhook['type'],
  kind: { readonly kind: string; readonly version: string },
): string {
  return `${type === 'mutating' ? 'm' : 'v'}${kind.kind.toLowerCase()}-${kind.version}.kb.io`;
}

function clientConfig(path: string, options: WebhookConfigurationsOptions): WebhookClientConfig {
  const { service = { namespace: 'system', name: 'webhook-service' }, url, ca } = options;
  const caBundle = ca === undefined ? {} : { caBundle: Buffer.from(ca).toString('base64') };
  return url === undefined
    ? { service: { ...service, path }, ...caBundle }
    : { url: addressOf(url, path), ...caBundle };
}

function addressOf(url: string, path: string): string {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '' };
  if (protocol === 'https:') return `https://${host}${path}`;
  throw new WebhookError({
    what: `invalid webhook URL ${JSON.stringify(url)}`,
    why: 'must be like https://127.0.0.1:9443',
  });
}

function checkNames(entries: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of entries) {
    if (seen.has(name))
      throw new WebhookError({ what: `two webhooks are named "${name}"`, remedy: 'rename one of them with "name"' });
    seen.add(name);
  }
}
