import { Namespace, Pod } from '@kubewright/apimachinery/core/v1';
import { NetworkPolicy, type NetworkPolicySpec } from '@kubewright/apimachinery/networking/v1';
import { describe, expect, it } from 'vitest';
import { hasPeer, type PolicyPod, type PolicyWorld, policyPodOf, selectsNamespaces, trafficOf } from './pod-traffic.ts';

type Labels = Readonly<Record<string, string>>;
const pod = (
  namespace: string,
  ip: string,
  labels: Labels,
  ports: Readonly<Record<string, number>> = {},
): PolicyPod => ({
  namespace,
  labels,
  ip,
  namedPorts: Object.entries(ports).map(([name, port]) => ({ name, port, protocol: 'TCP' })),
});
const policy = (spec: NetworkPolicySpec, namespace = 'shop'): NetworkPolicy =>
  NetworkPolicy({ metadata: { namespace, name: 'policy' }, spec });

const web = pod('shop', '10.244.0.2', { app: 'web' }, { http: 8080 });
const db = pod('shop', '10.244.0.3', { app: 'db' }, { http: 9090 });
const probe = pod('monitoring', '10.244.0.4', { app: 'probe' });
const namespaces = [
  Namespace({ metadata: { name: 'shop', labels: { team: 'a' } } }),
  Namespace({ metadata: { name: 'monitoring', labels: { team: 'b' } } }),
];
const world = (...policies: readonly NetworkPolicy[]): PolicyWorld => ({
  policies: (namespace) => policies.filter(({ metadata }) => metadata.namespace === namespace),
  pods: (namespace) => [web, db, probe].filter((each) => each.namespace === namespace),
  namespaces: () => namespaces,
});
const host = (ip: string) => ({ cidr: `${ip}/32`, except: [] });
const tcp = (from: number, to = from) => ({ protocol: 'TCP', ports: { from, to } }) as const;

describe('trafficOf', () => {
  it.each<[string, NetworkPolicySpec[], ReturnType<typeof trafficOf>]>([
    ['does not restrict a pod without policies', [], { ingress: undefined, egress: undefined }],
    [
      'does not restrict a pod that no policy selects',
      [{ podSelector: { matchLabels: { app: 'db' } }, ingress: [] }],
      { ingress: undefined, egress: undefined },
    ],
    ['blocks ingress without rules', [{ podSelector: {} }], { ingress: [], egress: undefined }],
    [
      'restricts egress by default only with egress rules',
      [{ podSelector: {}, egress: [] }],
      { ingress: [], egress: [] },
    ],
    [
      'restricts only the named directions',
      [{ podSelector: {}, policyTypes: ['Egress'] }],
      { ingress: undefined, egress: [] },
    ],
    [
      'allows all traffic in a direction with an empty rule',
      [{ podSelector: {}, ingress: [{}] }],
      { ingress: [{ peers: undefined, ports: undefined }], egress: undefined },
    ],
    [
      'selects pods of the same namespace',
      [{ podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { app: 'db' } } }] }] }],
      { ingress: [{ peers: [host(db.ip)], ports: undefined }], egress: undefined },
    ],
    [
      'selects all pods of namespaces by label',
      [{ podSelector: {}, ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'b' } } }] }] }],
      { ingress: [{ peers: [host(probe.ip)], ports: undefined }], egress: undefined },
    ],
    [
      'requires both selectors of one peer',
      [
        {
          podSelector: {},
          ingress: [{ from: [{ namespaceSelector: {}, podSelector: { matchLabels: { app: 'probe' } } }] }],
        },
      ],
      { ingress: [{ peers: [host(probe.ip)], ports: undefined }], egress: undefined },
    ],
    [
      'takes address blocks with exceptions',
      [{ podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }] }],
      { ingress: [{ peers: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }], ports: undefined }], egress: undefined },
    ],
    [
      'resolves a port name of ingress on the pod itself, ranges and protocols',
      [{ podSelector: {}, ingress: [{ ports: [{ port: 'http' }, { port: 80, endPort: 90 }, { protocol: 'UDP' }] }] }],
      {
        ingress: [{ peers: undefined, ports: [tcp(8080), tcp(80, 90), { protocol: 'UDP', ports: undefined }] }],
        egress: undefined,
      },
    ],
    [
      'allows nothing for a port name that the pod does not have',
      [{ podSelector: {}, ingress: [{ ports: [{ port: 'https' }] }] }],
      { ingress: [{ peers: undefined, ports: [] }], egress: undefined },
    ],
    [
      'resolves a port name of egress on each peer',
      [
        {
          podSelector: {},
          policyTypes: ['Egress'],
          egress: [{ to: [{ podSelector: {} }], ports: [{ port: 'http' }, { port: 53, protocol: 'UDP' }] }],
        },
      ],
      {
        ingress: undefined,
        egress: [
          { peers: [host(web.ip), host(db.ip)], ports: [{ protocol: 'UDP', ports: { from: 53, to: 53 } }] },
          { peers: [host(web.ip)], ports: [tcp(8080)] },
          { peers: [host(db.ip)], ports: [tcp(9090)] },
        ],
      },
    ],
    [
      'combines the rules of several policies',
      [{ podSelector: {} }, { podSelector: { matchLabels: { app: 'web' } }, ingress: [{ ports: [{ port: 80 }] }] }],
      { ingress: [{ peers: undefined, ports: [tcp(80)] }], egress: undefined },
    ],
  ])('%s', (_, specs, expected) => {
    expect(trafficOf(web, world(...specs.map((spec) => policy(spec))))).toEqual(expected);
  });

  it('ignores policies of other namespaces', () => {
    expect(trafficOf(web, world(policy({ podSelector: {} }, 'monitoring'))).ingress).toBeUndefined();
  });
});

describe('hasPeer', () => {
  const from = (...peers: NonNullable<NonNullable<NetworkPolicySpec['ingress']>[number]['from']>) =>
    policy({ podSelector: {}, ingress: [{ from: peers }] });

  it('finds pods by the selectors of rules', () => {
    expect(hasPeer(from({ podSelector: {} }), { pod: db, namespaces })).toBe(true);
    expect(hasPeer(from({ podSelector: {} }), { pod: probe, namespaces })).toBe(false);
    expect(hasPeer(from({ namespaceSelector: {} }), { pod: probe, namespaces })).toBe(true);
    expect(hasPeer(from({ ipBlock: { cidr: '10.0.0.0/8' } }), { pod: probe, namespaces })).toBe(false);
  });

  it('finds every pod if an egress rule has a named port', () => {
    const named = policy({ podSelector: {}, egress: [{ ports: [{ port: 'http' }] }] });
    expect(hasPeer(named, { pod: probe, namespaces })).toBe(true);
    expect(selectsNamespaces(named)).toBe(true);
    expect(selectsNamespaces(from({ podSelector: {} }))).toBe(false);
  });
});

describe('policyPodOf', () => {
  const stored = (spec: Partial<NonNullable<Pod['spec']>>, status: Pod['status']): Pod => ({
    ...Pod({ metadata: { namespace: 'shop', name: 'p' }, spec: { containers: [{ name: 'c' }], ...spec } }),
    ...(status && { status }),
  });

  it("leaves out pods that share a node's address or have ended", () => {
    expect(policyPodOf(stored({}, { podIP: '10.244.0.2', phase: 'Running' }))).toEqual({
      namespace: 'shop',
      labels: {},
      ip: '10.244.0.2',
      namedPorts: [],
    });
    expect(policyPodOf(stored({}, { phase: 'Pending' }))).toBeUndefined();
    expect(policyPodOf(stored({ hostNetwork: true }, { podIP: '172.18.0.2', phase: 'Running' }))).toBeUndefined();
    expect(policyPodOf(stored({}, { podIP: '10.244.0.2', phase: 'Failed' }))).toBeUndefined();
  });
});
