import { badRequest, type Random, StatusError } from '@kubewright/apimachinery';
import type { Endpoints, Pod, Service } from '@kubewright/apimachinery/core/v1';
import type { ReadObject } from '@kubewright/apiserver/internal';
import type { ProxySubresource } from '../../kinds/index.ts';
import type { NodeConnector } from '../pods/node-connector.ts';
import { dialPod } from './dial-pod.ts';
import { readExisting } from './read-existing.ts';
import { splitTargetName } from './target-name.ts';

/** A pod address behind a Service. */
interface Backend {
  readonly ip: string;
  readonly port: number;
  readonly podName: string;
}

/**
 * Serves `services/proxy`: forwards HTTP requests to a ready pod behind a Service. Mirrors `ResourceLocation` of
 * registry/core/service (1.36), but skips addresses that belong to no pod.
 */
export function serviceProxy(parts: {
  readonly connector: NodeConnector;
  readonly read: ReadObject;
  readonly random: Random;
}): ProxySubresource {
  const { connector, read, random } = parts;
  return {
    type: 'proxy',
    async connect({ namespace, name: id, signal }) {
      const target = splitTargetName(id);
      if (target === undefined) throw badRequest(`invalid service request ${JSON.stringify(id)}`);
      const { name, scheme } = target;
      const portName = /^\d+$/.test(target.port)
        ? portNameOf(await readExisting<Service>(read, { resource: 'services', namespace, name }), Number(target.port))
        : target.port;
      const endpoints = await readExisting<Endpoints>(read, { resource: 'endpoints', namespace, name });
      const backends = backendsOf(endpoints, portName);
      if ((endpoints.subsets ?? []).length === 0) throw none(name);
      while (backends.length > 0) {
        const [one] = backends.splice(Math.floor(random.next() * backends.length), 1);
        const pod = one && (await podAt(one, { namespace, read }));
        if (one && pod)
          return dialPod(connector, pod, { host: one.ip, port: one.port, isTls: scheme === 'https', signal });
      }
      throw none(id);
    },
  };
}

function none(name: string): Error {
  return serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
}

/** Returns the name of a Service's port, given its number. */
function portNameOf({ metadata, spec }: Service, number: number): string {
  const found = spec?.ports?.find(({ port }) => port === number);
  if (found) return found.name ?? '';
  throw serviceUnavailable(`no service port ${number} found for service ${JSON.stringify(metadata.name)}`);
}

function backendsOf({ subsets = [] }: Endpoints, portName: string): Backend[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find(({ name = '' }) => name === portName)?.port;
    if (port === undefined) return [];
    return addresses.flatMap(({ ip, targetRef }) =>
      targetRef?.kind === 'Pod' && targetRef.name ? [{ ip, port, podName: targetRef.name }] : [],
    );
  });
}

/** Returns the pod at an address; undefined if the pod is gone or has another address now. */
async function podAt(
  { ip, podName }: Backend,
  { namespace, read }: { readonly namespace: string; readonly read: ReadObject },
): Promise<Pod | undefined> {
  const pod = (await read({ group: '', resource: 'pods', namespace, name: podName })) as Pod | undefined;
  const ips = pod?.status?.podIPs?.map((one) => one.ip) ?? [pod?.status?.podIP];
  return ips.includes(ip) ? pod : undefined;
}

function serviceUnavailable(message: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'ServiceUnavailable',
    code: 503,
  });
}
