import type { ApiHandler } from '@kubewright/apiserver';
import { asServer } from '@kubewright/apiserver/internal';
import { BootstrapError } from './bootstrap-error.ts';

/** The trust settings with which aggregated API servers authenticate callers. */
export interface AuthenticationTrust {
  /** The CA of client certificates, in PEM format. */
  readonly clientCa: string;
  /** The CA of the client certificate with which this server forwards requests, in PEM format. */
  readonly requestHeaderCa: string;
  /** The common names allowed in the certificate with which this server forwards requests. */
  readonly allowedNames: readonly string[];
}

const path = '/api/v1/namespaces/kube-system/configmaps';
const configMapName = 'extension-apiserver-authentication';

/**
 * Publishes the settings with which aggregated API servers authenticate callers, as the ConfigMap
 * `kube-system/extension-apiserver-authentication`. Mirrors the first run of the cluster authentication trust controller (1.36).
 */
export async function publishAuthentication(
  handle: ApiHandler,
  { clientCa, requestHeaderCa, allowedNames }: AuthenticationTrust,
): Promise<void> {
  const send = asServer(handle);
  const data = {
    'client-ca-file': clientCa,
    'requestheader-allowed-names': JSON.stringify(allowedNames),
    'requestheader-client-ca-file': requestHeaderCa,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  };
  const made = await send('POST', path, {
    body: { metadata: { name: configMapName, namespace: 'kube-system' }, data },
  });
  const contentType = 'application/merge-patch+json';
  const { status, text } =
    made.status === 409 ? await send('PATCH', `${path}/${configMapName}`, { body: { data }, contentType }) : made;
  if (status >= 300)
    throw new BootstrapError({
      what: `cannot publish the authentication configuration: ${path}/${configMapName}: ${status} ${text}`,
    });
}
