import type { Clock } from '@kubewright/apimachinery';
import type { ConnectSubresource } from '@kubewright/apiserver';
import { CertificateStore, storedObjectReader } from '@kubewright/apiserver/internal';
import type { ProxySubresource } from '../kinds/index.ts';
import { ControlPlane } from '../kube-apiserver/control-plane.ts';
import type { ControlPlaneOptions } from '../kube-apiserver/control-plane-options.ts';
import { podEviction, podStreams } from '../kube-apiserver/pods/index.ts';
import type { NodeConnector } from '../kube-apiserver/pods/node-connector.ts';
import { podProxy } from '../kube-apiserver/proxy/pod-proxy.ts';
import { serviceProxy } from '../kube-apiserver/proxy/service-proxy.ts';
import { clusterUsage } from './cluster-usage.ts';
import { type CompleteOptions, nodesOf, podNetworkOf } from './embedded-cluster-options.ts';
import { controlPlaneSettings } from './server-settings.ts';

/** The parts of a cluster that its API server uses. */
export interface ClusterControlPlaneParts {
  readonly storage: ControlPlaneOptions['storage'];
  readonly clock: Clock;
  readonly certificates: CertificateStore;
  /** Connects to the pods of the cluster's own nodes. */
  readonly connector: NodeConnector;
  readonly serverAddress: () => string;
  readonly onError: (error: unknown) => void;
}

/** Creates the API server of an embedded cluster. */
export function clusterControlPlane(options: CompleteOptions, parts: ClusterControlPlaneParts): ControlPlane {
  const { random, selection, network, server = {} } = options;
  const { clock, certificates, connector: own } = parts;
  const connector = options.connector ?? own;
  const read = storedObjectReader(parts.storage);
  const plane: ControlPlane = new ControlPlane({
    storage: parts.storage,
    clock,
    random,
    ...controlPlaneSettings(server, { serviceAccountKey: certificates.serviceAccount.privateKey }),
    allowLoopbackEndpoints: true,
    processes: podNetworkOf(options, selection).mode !== undefined,
    networkPolicies: network.enforcesPolicies && selection.includes('kube-proxy'),
    usage: usageOf(options, own),
    serviceCidr: server.serviceCidr ?? network.serviceCidr,
    dial: network.dial,
    disabledAdmissionPlugins: [
      ...(server.disabledAdmissionPlugins ?? []),
      // Without the service account controller, there are no service accounts for pods to use.
      ...(selection.includes('serviceaccount-controller') ? [] : ['ServiceAccount']),
    ],
    connect: new Map<string, ConnectSubresource | ProxySubresource>([
      ...podStreams(connector, clock),
      ['pods/proxy', podProxy({ connector, read })],
      ['services/proxy', serviceProxy({ connector, read, random })],
      ['pods/eviction', podEviction({ handle: () => plane.handle, clock })],
    ]),
    serverAddress: parts.serverAddress,
    frontProxy: {
      clientCa: server.clientCa ?? certificates.clientCa,
      requestHeaderCa: certificates.requestHeaderCa,
      allowedNames: [CertificateStore.frontProxyName],
      clientCertificate: () => certificates.frontProxyCertificate(),
    },
    limits: options.limits?.requests,
    onError: parts.onError,
  });
  return plane;
}

/** Returns the function that reads the usage of containers from the nodes; undefined if metrics are not served. */
function usageOf(options: CompleteOptions, own: NodeConnector): ControlPlaneOptions['usage'] {
  const { selection, clock, connector = own } = options;
  const settings = nodesOf(options, selection);
  if (!selection.includes('metrics') || (settings === undefined && connector === own)) return undefined;
  return clusterUsage(connector, { settings: settings ?? {}, clock });
}
