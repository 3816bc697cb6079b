import { expect, it } from 'vitest';
import { nftRuleset } from './nft-ruleset.ts';

const shared = { nodes: ['10.244.0.1', '172.18.0.2'], services: '10.96.0.0/12', dns: '10.96.0.10' };

it('removes the rules of a pod that is not restricted', () => {
  expect(nftRuleset({ ingress: undefined, egress: undefined }, shared)).toBe(
    'table inet kubewright\ndelete table inet kubewright\n',
  );
});

it('drops everything except existing connections, its node, Services and traffic that rules allow', () => {
  const block = { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] };
  const ports = [
    { protocol: 'TCP', ports: { from: 80, to: 80 } },
    { protocol: 'SCTP', ports: { from: 1000, to: 2000 } },
    { protocol: 'UDP', ports: undefined },
  ] as const;
  const ingress = [{ peers: [block, { cidr: 'fd00::/8', except: [] }], ports }];
  const egress = [{ peers: undefined, ports: undefined }];
  expect(nftRuleset({ ingress, egress }, shared)).toBe(`table inet kubewright
delete table inet kubewright
table inet kubewright {
chain input {
type filter hook input priority filter; policy accept;
iif lo accept
ct state established,related accept
ip saddr { 10.244.0.1, 172.18.0.2 } accept
ip saddr 10.0.0.0/8 ip saddr != 10.1.0.0/16 tcp dport 80 accept
ip saddr 10.0.0.0/8 ip saddr != 10.1.0.0/16 sctp dport 1000-2000 accept
ip saddr 10.0.0.0/8 ip saddr != 10.1.0.0/16 meta l4proto udp accept
ip6 saddr fd00::/8 tcp dport 80 accept
ip6 saddr fd00::/8 sctp dport 1000-2000 accept
ip6 saddr fd00::/8 meta l4proto udp accept
drop
}
chain output {
type filter hook output priority filter; policy accept;
oif lo accept
ct state established,related accept
ip daddr 10.96.0.0/12 ip daddr != 10.96.0.10 accept
accept
drop
}
}
`);
});
