import {
  badRequest,
  type Clock,
  conflict,
  invalid,
  invalidField,
  type KubernetesObject,
  notFound,
} from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { ConnectSubresource } from '@kubewright/apiserver';
import type { ConnectCall, ReadObject } from '@kubewright/apiserver/internal';
import type { BoundObject, ServiceAccountTokens } from './service-account-token.ts';

interface BoundObjectRef {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null;
  readonly expirationSeconds?: number | null;
  readonly boundObjectRef?: BoundObjectRef | null;
}

const minSeconds = 600;
const maxSeconds = 2 ** 32;

/**
 * Handles `serviceaccounts/token`: issues a token for an account. The token can be bound to a pod, secret or node (`TokenREST`,
 * 1.36).
 */
export function tokenRequest(options: {
  readonly tokens: ServiceAccountTokens;
  readonly read: ReadObject;
  readonly clock: Clock;
}): ConnectSubresource {
  const { tokens, read } = options;
  return {
    type: 'connect',
    async connect(call: ConnectCall) {
      const account = await call.parent();
      const spec = (call.body?.['spec'] as TokenRequestSpec | undefined) ?? {};
      const expirationSeconds = spec.expirationSeconds ?? 3600;
      checkExpiration(expirationSeconds);
      const bound = spec.boundObjectRef ? await resolveBound(read, account, spec.boundObjectRef) : {};
      const { token, claims } = tokens.issue({
        namespace: call.namespace,
        serviceAccount: { name: call.name, uid: account.metadata.uid ?? '' },
        audiences: spec.audiences ?? [],
        expirationSeconds,
        ...bound,
      });
      const response = {
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { name: call.name, namespace: call.namespace, creationTimestamp: formatTime(claims.iat * 1000) },
        spec: { audiences: claims.aud, expirationSeconds, boundObjectRef: spec.boundObjectRef ?? null },
        status: { token, expirationTimestamp: formatTime(claims.exp * 1000) },
      };
      return {
        status: 201,
        headers: { 'content-type': 'application/json' },
        body: new TextEncoder().encode(JSON.stringify(response)),
      };
    },
  };
}

function checkExpiration(seconds: number): void {
  const field = 'spec.expirationSeconds';
  const fault =
    seconds < minSeconds
      ? invalidField(field, seconds, 'may not specify a duration less than 10 minutes')
      : seconds > maxSeconds
        ? invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds')
        : undefined;
  if (fault) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [fault]);
}

async function resolveBound(
  read: ReadObject,
  account: KubernetesObject,
  ref: BoundObjectRef,
): Promise<{ pod?: BoundObject; secret?: BoundObject; node?: BoundObject }> {
  const namespace = account.metadata.namespace ?? '';
  const name = ref.name ?? '';
  const find = async (resource: string, scope: { namespace?: string }): Promise<KubernetesObject & { uid: string }> => {
    const found = await read({ group: '', resource, name, ...scope });
    if (!found) throw notFound({ group: '', resource }, name);
    const uid = found.metadata.uid ?? '';
    if (ref.uid && ref.uid !== uid) {
      const message = `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
      throw conflict({ group: '', resource }, name, message);
    }
    return { ...found, uid };
  };
  switch (ref.kind) {
    case 'Pod': {
      const pod = await find('pods', { namespace });
      const { serviceAccountName, nodeName } =
        (pod as { spec?: { serviceAccountName?: string; nodeName?: string } }).spec ?? {};
      if (serviceAccountName !== account.metadata.name) {
        const message = `cannot bind token for serviceaccount "${account.metadata.name}" to pod running with different serviceaccount name.`;
        throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, account.metadata.name ?? '', [
          invalidField('spec.boundObjectRef', serviceAccountName, message),
        ]);
      }
      const node = nodeName ? await read({ group: '', resource: 'nodes', name: nodeName }) : undefined;
      return {
        pod: { name, uid: pod.uid },
        ...(node && { node: { name: nodeName ?? '', uid: node.metadata.uid ?? '' } }),
      };
    }
    case 'Secret':
      return { secret: { name, uid: (await find('secrets', { namespace })).uid } };
    case 'Node':
      return { node: { name, uid: (await find('nodes', {})).uid } };
    default:
      throw badRequest(`cannot bind token to object of type ${kindOf(ref)}`);
  }
}

/** Formats a kind as Go does: `/v1, Kind=ConfigMap`. */
function kindOf({ apiVersion = '', kind }: BoundObjectRef): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
