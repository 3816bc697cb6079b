import { defined } from '@kubewright/apimachinery/internal';
import { formatYamlDocuments } from '../format-documents.ts';
import type { Problems } from '../problem.ts';
import type { WebhookModel } from './find-webhooks.ts';
import type { WebhookService } from './webhook-service.ts';

/** Generates the configurations of the declared webhooks like controller-gen. Returns undefined if there are no webhooks. */
export function webhookManifests(
  webhooks: readonly WebhookModel[],
  { place, problems }: { readonly place: WebhookService; readonly problems: Problems },
): string | undefined {
  const names = new Set<string>();
  for (const { name, at } of webhooks) {
    if (names.has(name)) {
      problems.add(at, { code: 'KW6501', what: `two webhooks are named ${name}`, fix: 'set `name` on one of them' });
    }
    names.add(name);
  }
  const documents = (['mutating', 'validating'] as const).flatMap((type) => {
    const own = webhooks.filter((webhook) => webhook.type === type).sort((a, b) => (a.name < b.name ? -1 : 1));
    if (own.length === 0) return [];
    return [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: type === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
        metadata: { name: `${type}-webhook-configuration` },
        webhooks: own.map((webhook) => entry(webhook, place)),
      },
    ];
  });
  return documents.length === 0 ? undefined : formatYamlDocuments(documents);
}

function entry({ name, path, rules, registration }: WebhookModel, { namespace }: WebhookService): object {
  const { failurePolicy = 'Fail', sideEffects = 'None', ...rest } = registration;
  return {
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { name: 'webhook-service', namespace: 'system', path } },
    failurePolicy,
    name,
    rules: rules.map(({ groups, versions, resources, operations, scope }) => ({
      apiGroups: groups,
      apiVersions: versions,
      operations,
      resources,
      ...defined({ scope }),
    })),
    sideEffects,
    ...(isForBuiltIn(rules) && { namespaceSelector: notIn('kube-system', namespace) }),
    ...rest,
  };
}

/**
 * True if a rule applies to a group of Kubernetes itself: a group without a dot, or with the suffix `.k8s.io`. The runtime
 * library uses the same condition.
 */
function isForBuiltIn(rules: WebhookModel['rules']): boolean {
  return rules.some(({ groups }) => groups.some((group) => !group.includes('.') || group.endsWith('.k8s.io')));
}

/** Excludes namespaces from a webhook, so that an operator that is down does not block its own pods. */
function notIn(...values: readonly string[]): object {
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }] };
}
