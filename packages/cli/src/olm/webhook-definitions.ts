import type { UnstructuredObject } from '@kubewright/apimachinery';

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service?: { readonly path?: string } };
  readonly [field: string]: unknown;
}

/** Returns webhook definitions in the format of a CSV; OLM creates services, certificates and configurations from them. */
export function webhookDefinitions(objects: readonly UnstructuredObject[]): readonly object[] {
  const deployment = objects.find(({ kind }) => kind === 'Deployment')?.metadata?.name;
  const common = { deploymentName: deployment, containerPort: 443, targetPort: 9443 };
  const admission = objects.flatMap(({ kind, ...object }) => {
    const [, type] = /^(Mutating|Validating)WebhookConfiguration$/.exec(kind) ?? [];
    if (type === undefined) return [];
    // Both kinds have webhooks.
    return (object['webhooks'] as readonly Webhook[]).map(({ name, clientConfig, ...webhook }) => ({
      ...webhook,
      ...common,
      type: `${type}AdmissionWebhook`,
      generateName: name,
      webhookPath: clientConfig.service?.path,
    }));
  });
  const converted = objects.filter(
    ({ kind, ...object }) =>
      kind === 'CustomResourceDefinition' &&
      (object['spec'] as { readonly conversion?: { readonly strategy?: string } }).conversion?.strategy === 'Webhook', // a CustomResourceDefinition has a spec
  );
  return [
    ...admission,
    ...converted.map(({ metadata }) => ({
      ...common,
      type: 'ConversionWebhook',
      generateName: `c${metadata?.name}`,
      conversionCRDs: [metadata?.name],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      webhookPath: '/convert',
    })),
  ];
}
