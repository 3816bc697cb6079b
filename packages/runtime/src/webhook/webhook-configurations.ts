import type {
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '@kubewright/apimachinery/admissionregistration/v1';
import type { AdmissionWebhook, WebhookDefinition } from './webhook-definition.ts';
import { WebhookError } from './webhook-error.ts';

/** Options of {@link webhookConfigurations}. */
export interface WebhookConfigurationsOptions {
  /** Names of both configurations. @defaultValue kubebuilder's, without a prefix */
  readonly names?: { readonly mutating?: string; readonly validating?: string };
  /**
   * The Service in front of the webhook server. @defaultValue kubebuilder's: `webhook-service` in `system`, for kustomize
   *
   * Where its namespace is known, webhooks for built-in kinds that name no `namespaceSelector` leave it and `kube-system`
   * alone: an operator that is down must not keep its own pods from starting.
   */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /**
   * In place of `service`: the address at which the API server reaches this process, such as `https://127.0.0.1:9443`. Name the
   * port: a configuration that was told of the authority (`ownAuthority({ url })`) can then be applied again as it is.
   */
  readonly url?: string;
  /** PEM of the authority, where it is known; `ownAuthority` and cert-manager's injector write it later. */
  readonly ca?: string;
}

/**
 * Makes the objects that tell the API server of declared webhooks, as controller-gen makes them from markers. Those without
 * rules are left out; conversions are told to CustomResourceDefinitions, not here.
 *
 * @throws WebhookError (KW3031) when two webhooks have one name, for a `url` that is not `https`, and with a `service` beside it.
 */
export function webhookConfigurations(
  webhooks: readonly WebhookDefinition[],
  options: WebhookConfigurationsOptions = {},
): readonly (MutatingWebhookConfiguration | ValidatingWebhookConfiguration)[] {
  const { names = {}, service, url } = options;
  if (service !== undefined && url !== undefined)
    throw new WebhookError('webhooks are called through a "service" or at a "url", not both; leave one out');
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
        ...(scope !== undefined && { scope }),
      }),
    ),
    sideEffects,
    ...(isForBuiltIn(webhook) && namespaceSelector(options.service?.namespace)),
    ...rest,
    ...(type === 'mutating' && reinvocationPolicy !== undefined && { reinvocationPolicy }),
  };
}

/** Groups of Kubernetes itself have no dot, or end in `.k8s.io`. */
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

/** As kubebuilder scaffolds them: `vpostgresql-v1.kb.io`. */
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
  throw new WebhookError(
    `the API server cannot call webhooks at ${JSON.stringify(url)}; write it as https://127.0.0.1:9443`,
  );
}

function checkNames(entries: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of entries) {
    if (seen.has(name)) throw new WebhookError(`two webhooks are named "${name}"; give one of them another "name"`);
    seen.add(name);
  }
}
