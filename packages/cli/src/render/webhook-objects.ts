import type { UnstructuredObject } from '@kubewright/apimachinery';

/** The address and the CA bundle with which the API server calls a webhook. */
export interface ClientConfig {
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string };
  readonly caBundle?: string;
}

/** The conversion between the versions of a kind. */
export interface Conversion {
  readonly strategy?: string;
  readonly webhook?: { readonly clientConfig?: ClientConfig };
}

/** True for objects that configure admission webhooks. */
export function isAdmission({ kind }: UnstructuredObject): boolean {
  return kind === 'MutatingWebhookConfiguration' || kind === 'ValidatingWebhookConfiguration';
}

/** True for a CRD whose objects a webhook converts. */
export function isConverted(object: UnstructuredObject): boolean {
  return object.kind === 'CustomResourceDefinition' && conversionOf(object)?.strategy === 'Webhook';
}

/** Returns the conversion of a CRD, or undefined for other objects. */
export function conversionOf(object: UnstructuredObject): Conversion | undefined {
  return (object['spec'] as { readonly conversion?: Conversion } | undefined)?.conversion;
}

/** Returns the client configurations of the webhooks that an object configures. */
export function configsOf(object: UnstructuredObject): readonly ClientConfig[] {
  if (object.kind === 'CustomResourceDefinition') {
    const { clientConfig } = conversionOf(object)?.webhook ?? {};
    return clientConfig ? [clientConfig] : [];
  }
  const { webhooks = [] } = object as { readonly webhooks?: readonly { readonly clientConfig: ClientConfig }[] };
  return webhooks.map(({ clientConfig }) => clientConfig);
}
