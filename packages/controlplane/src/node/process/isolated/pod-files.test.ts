import { Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { hostsFile, type PodFileFacts, resolvConf } from './pod-files.ts';

const facts = (spec: Partial<NonNullable<Pod['spec']>> = {}, more: Partial<PodFileFacts> = {}): PodFileFacts => ({
  pod: Pod({ metadata: { name: 'a', namespace: 'shop' }, spec: { containers: [], ...spec } }),
  podIP: '10.244.0.5',
  hostname: 'a',
  dns: { address: '10.96.0.10', domain: 'cluster.local' },
  hostResolvConf: 'nameserver 192.0.2.1\nsearch example.com\noptions ndots:2 edns0\n',
  hostHosts: '127.0.0.1 localhost\n',
  ...more,
});
const ofMachine = 'search example.com\nnameserver 192.0.2.1\noptions ndots:2 edns0\n';

describe('resolvConf', () => {
  it.each([
    {
      name: 'the name server of the cluster',
      of: facts(),
      expected:
        'search shop.svc.cluster.local svc.cluster.local cluster.local example.com\nnameserver 10.96.0.10\noptions ndots:5\n',
    },
    { name: "this machine's for the policy Default", of: facts({ dnsPolicy: 'Default' }), expected: ofMachine },
    { name: "this machine's for pods on the host network", of: facts({ hostNetwork: true }), expected: ofMachine },
    { name: "this machine's without a name server", of: facts({}, { dns: undefined }), expected: ofMachine },
    {
      name: "only the pod's own for the policy None",
      of: facts({
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['192.0.2.9'], searches: ['x'], options: [{ name: 'ndots', value: '1' }] },
      }),
      expected: 'search x\nnameserver 192.0.2.9\noptions ndots:1\n',
    },
    {
      name: "the pod's own in addition",
      of: facts({ dnsConfig: { searches: ['x'], options: [{ name: 'ndots', value: '1' }, { name: 'edns0' }] } }),
      expected:
        'search shop.svc.cluster.local svc.cluster.local cluster.local example.com x\nnameserver 10.96.0.10\noptions ndots:1 edns0\n',
    },
  ])('has $name', ({ of, expected }) => {
    expect(resolvConf(of)).toBe(expected);
  });
});

describe('hostsFile', () => {
  it("has the pod's name and its aliases", () => {
    const text = hostsFile(facts({ hostAliases: [{ ip: '192.0.2.7', hostnames: ['db', 'db.example.com'] }] }));
    expect(text).toMatch(/^# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n/);
    expect(text).toContain('\n10.244.0.5\ta\n');
    expect(text).toMatch(/\n\n# Entries added by HostAliases.\n192.0.2.7\tdb\tdb.example.com\n$/);
  });

  it('has the full name of a pod with a subdomain', () => {
    expect(hostsFile(facts({ hostname: 'a', subdomain: 'peers' }))).toContain(
      '\n10.244.0.5\ta.peers.shop.svc.cluster.local\ta\n',
    );
  });

  it("is this machine's for pods on the host network", () => {
    const expected = '# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n';
    expect(hostsFile(facts({ hostNetwork: true }))).toBe(expected);
  });
});
