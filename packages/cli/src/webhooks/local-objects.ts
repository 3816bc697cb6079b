import type { UnstructuredObject } from '@kubewright/apimachinery';
import { type ClientConfig, conversionOf, isAdmission, isConverted } from '../render/webhook-objects.ts';

/** Address of the webhooks of an operator under development. */
export interface LocalAddress {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
}

/**
 * The API's maximum, in seconds: compiler, cluster and operator share a machine, and requests wait while the operator
 * restarts.
 */
const timeoutSeconds = 30;

/** Annotation with which cert-manager replaces our CA with its own. */
export const injection = 'cert-manager.io/inject-ca-from';

/** True for cert-manager objects, which are not needed during development. */
export function isCertificate({ apiVersion }: UnstructuredObject): boolean {
  return apiVersion.startsWith('cert-manager.io/');
}

/**
 * Returns the object with references to a Service replaced by this address. Returns an object without such references
 * unchanged. Recomputed for every apply, so the result is deterministic.
 */
export function atLocalAddress(object: UnstructuredObject, address: LocalAddress): UnstructuredObject {
  const caBundle = Buffer.from(address.authority).toString('base64');
  const local = ({ service }: ClientConfig): object => ({ url: `${address.url}${service?.path ?? '/'}`, caBundle });
  if (isAdmission(object)) {
    // The generator created it.
    const { webhooks = [] } = object as { readonly webhooks?: readonly { readonly clientConfig: ClientConfig }[] };
    const redirected = webhooks.map((each) => ({ ...each, clientConfig: local(each.clientConfig), timeoutSeconds }));
    return { ...withoutInjection(object), webhooks: redirected };
  }
  const conversion = isConverted(object) ? conversionOf(object) : undefined;
  if (!conversion?.webhook) return object;
  const webhook = { ...conversion.webhook, clientConfig: local(conversion.webhook.clientConfig ?? {}) };
  const spec = { ...(object['spec'] as object), conversion: { ...conversion, webhook } };
  return { ...withoutInjection(object), spec };
}

function withoutInjection(object: UnstructuredObject): UnstructuredObject {
  const { [injection]: _injection, ...annotations } = object.metadata?.annotations ?? {};
  return _injection === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };
}
