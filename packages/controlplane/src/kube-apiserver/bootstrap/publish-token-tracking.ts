import type { Clock } from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { ApiHandler } from '@kubewright/apiserver';
import { asServer } from '@kubewright/apiserver/internal';
import { BootstrapError } from './bootstrap-error.ts';

const path = '/api/v1/namespaces/kube-system/configmaps';
const name = 'kube-apiserver-legacy-service-account-token-tracking';

/**
 * Publishes the date from which the use of legacy service account tokens is tracked, unless a date is already
 * published. Mirrors the first run of the legacy token tracking controller (1.36).
 */
export async function publishTokenTracking(handle: ApiHandler, clock: Clock): Promise<void> {
  const since = formatTime(clock.now()).slice(0, 10);
  const body = { metadata: { name, namespace: 'kube-system' }, data: { since } };
  const { status, text } = await asServer(handle)('POST', path, { body });
  if (status < 300 || status === 409) return;
  throw new BootstrapError({
    what: `cannot publish the tracking of legacy tokens: ${path}/${name}: ${status} ${text}`,
  });
}
