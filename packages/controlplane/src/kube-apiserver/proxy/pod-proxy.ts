import { badRequest } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { ReadObject } from '@kubewright/apiserver/internal';
import type { ProxySubresource } from '../../kinds/index.ts';
import type { NodeConnector } from '../pods/node-connector.ts';
import { dialPod } from './dial-pod.ts';
import { readExisting } from './read-existing.ts';
import { splitTargetName } from './target-name.ts';

/** Serves `pods/proxy`: forwards HTTP requests to a port of a pod. Mirrors `ResourceLocation` of registry/core/pod (1.36). */
export function podProxy(parts: { readonly connector: NodeConnector; readonly read: ReadObject }): ProxySubresource {
  const { connector, read } = parts;
  return {
    type: 'proxy',
    async connect({ namespace, name, signal }) {
      const target = splitTargetName(name);
      if (target === undefined) throw badRequest(`invalid pod request ${JSON.stringify(name)}`);
      const pod = await readExisting<Pod>(read, { resource: 'pods', namespace, name: target.name });
      const host = pod.status?.podIP ?? '';
      if (host === '') throw badRequest('address not allowed');
      const port = target.port === '' ? firstPort(pod) : portNumber(target.port);
      if (port === undefined) throw badRequest(`invalid port ${JSON.stringify(target.port)}`);
      return dialPod(connector, pod, { host, port, isTls: target.scheme === 'https', signal });
    },
  };
}

/** Returns the first port that any container declares; 80 if none does. */
function firstPort({ spec }: Pod): number {
  return spec?.containers?.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort ?? 80;
}

function portNumber(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}
