import type { UnstructuredObject } from '@kubewright/apimachinery';
import { isAdmission, isConverted } from '../../deploy/webhook-readiness.ts';

/** Where webhooks are served while an operator is developed. */
export interface LocalAddress {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
}

/** As long as the API allows: compiler, cluster and operator share a machine, and a restart is waited for. */
const timeoutSeconds = 30;

interface ClientConfig {
  readonly service?: { readonly path?: string };
}

/** Annotation by which cert-manager puts its own authority in the place of ours. */
export const injection = 'cert-manager.io/inject-ca-from';

/** True of what cert-manager is asked for: while an operator is developed, nobody needs it. */
export function isCertificate({ apiVersion }: UnstructuredObject): boolean {
  return apiVersion.startsWith('cert-manager.io/');
}

/**
 * An object with this address in place of the Service that it names; the same object where it names none. It is as often
 * made as applied, and always the same.
 */
export function atLocalAddress(object: UnstructuredObject, address: LocalAddress): UnstructuredObject {
  const caBundle = Buffer.from(address.authority).toString('base64');
  const local = ({ service }: ClientConfig): object => ({ url: `${address.url}${service?.path ?? '/'}`, caBundle });
  if (isAdmission(object)) {
    // The generator has just made it.
    const { webhooks = [] } = object as { readonly webhooks?: readonly { readonly clientConfig: ClientConfig }[] };
    const asked = webhooks.map((each) => ({ ...each, clientConfig: local(each.clientConfig), timeoutSeconds }));
    return { ...withoutInjection(object), webhooks: asked };
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

interface Conversion {
  readonly strategy?: string;
  readonly webhook?: { readonly clientConfig?: ClientConfig };
}

function conversionOf(object: UnstructuredObject): Conversion | undefined {
  return (object['spec'] as { readonly conversion?: Conversion } | undefined)?.conversion;
}
