import { type KubernetesObject, notFound } from '@kubewright/apimachinery';
import type { Authorizer } from '@kubewright/apiserver';
import type { ReferringPod, Volume } from '../../authorization/node/pod-references.ts';
import { type NodeWrite, quoted, rejection } from './node-write.ts';

interface TokenRequest {
  readonly spec?: {
    readonly audiences?: readonly string[] | null;
    readonly boundObjectRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly uid?: string;
    } | null;
  };
}

type StoredPod = ReferringPod & Pick<KubernetesObject, 'metadata'>;

/** Allows a node to request tokens only for its own pods: bound to the pod, with an audience that the pod uses. */
export async function admitToken(write: NodeWrite, authorizer: Authorizer): Promise<void> {
  const { node, attributes, read } = write;
  const { operation, subresource, namespace, object } = attributes;
  if (operation !== 'CREATE' || subresource !== 'token') return;
  const { spec } = object as unknown as TokenRequest;
  const { apiVersion, kind, name, uid } = spec?.boundObjectRef ?? {};
  if (apiVersion !== 'v1' || kind !== 'Pod' || !name) throw rejection(write, 'node requested token not bound to a pod');
  if (!uid) throw rejection(write, 'node requested token with a pod binding without a uid');
  const pod = (await read({ group: '', resource: 'pods', namespace, name })) as StoredPod | undefined;
  // Upstream's error comes from an informer, so it contains this resource name.
  if (pod === undefined) throw notFound({ group: '', resource: 'pod' }, name);
  if (uid !== pod.metadata.uid) {
    throw rejection(
      write,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (pod.spec?.nodeName !== node) {
    throw rejection(write, 'node requested token bound to a pod scheduled on a different node');
  }
  await checkAudience(write, { pod, audiences: spec?.audiences ?? [], authorizer });
}

/** Checks a token's audience: a volume of the pod must request it, or the node must be authorized for it. */
async function checkAudience(
  write: NodeWrite,
  context: { readonly pod: StoredPod; readonly audiences: readonly string[]; readonly authorizer: Authorizer },
): Promise<void> {
  const { pod, audiences, authorizer } = context;
  const { user, namespace, name } = write.attributes;
  if (audiences.length > 1) throw rejection(write, 'node may only request 0 or 1 audiences');
  const [audience = ''] = audiences;
  const missing: string[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    const found = await namesAudience(write, { pod, volume, audience });
    if (found === true) return;
    if (found !== false) missing.push(found.missing);
  }
  if (missing.length > 0) {
    const all = missing.length === 1 ? missing[0] : `[${missing.join(', ')}]`;
    throw rejection(write, `error validating audience ${quoted(audience)}: ${all}`);
  }
  const { decision } = await authorizer.authorize({
    user,
    verb: 'request-serviceaccounts-token-audience',
    resource: { group: '', version: 'v1', resource: audience, subresource: '', namespace, name },
  });
  if (decision === 'allow') return;
  throw rejection(
    write,
    `audience ${quoted(audience)} not found in pod spec volume, ${user.username} is not authorized to request tokens for this audience`,
  );
}

/** True if a volume requests tokens for the audience, or the reason why this cannot be determined. */
type Named = boolean | { readonly missing: string };

async function namesAudience(
  write: NodeWrite,
  { pod, volume, audience }: { readonly pod: StoredPod; readonly volume: Volume; readonly audience: string },
): Promise<Named> {
  const sources = volume.projected?.sources ?? [];
  if (sources.some(({ serviceAccountToken: token }) => token && (token.audience ?? '') === audience)) return true;
  const driver = await driverOf(write, { pod, volume });
  if (driver === undefined) return false;
  if (typeof driver === 'object') return driver;
  const found = await write.read({ group: 'storage.k8s.io', resource: 'csidrivers', name: driver });
  if (found === undefined) return { missing: `csidriver.storage.k8s.io ${quoted(driver)} not found` };
  const { spec } = found as {
    readonly spec?: { readonly tokenRequests?: readonly { readonly audience?: string }[] | null };
  };
  return (spec?.tokenRequests ?? []).some((request) => (request.audience ?? '') === audience);
}

/** Returns the CSI driver of a volume: its own driver, or the driver of the persistent volume bound to its claim. */
async function driverOf(
  { read }: NodeWrite,
  { pod, volume }: { readonly pod: StoredPod; readonly volume: Volume },
): Promise<string | undefined | { readonly missing: string }> {
  if (volume.csi) return volume.csi.driver;
  const { namespace = '', name } = pod.metadata;
  const claimName = volume.ephemeral ? `${name}-${volume.name}` : volume.persistentVolumeClaim?.claimName;
  if (!claimName) return undefined;
  const claim = await read({ group: '', resource: 'persistentvolumeclaims', namespace, name: claimName });
  if (claim === undefined) return { missing: `persistentvolumeclaim ${quoted(claimName)} not found` };
  const { spec } = claim as { readonly spec?: { readonly volumeName?: string } };
  const volumeName = spec?.volumeName ?? '';
  const bound = await read({ group: '', resource: 'persistentvolumes', name: volumeName });
  if (bound === undefined) return { missing: `persistentvolume ${quoted(volumeName)} not found` };
  return (bound as { readonly spec?: { readonly csi?: { readonly driver?: string } } }).spec?.csi?.driver;
}
