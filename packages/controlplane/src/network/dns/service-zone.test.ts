import { Service } from '@kubewright/apimachinery/core/v1';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { describe, expect, it } from 'vitest';
import { recordTypes } from './dns-message.ts';
import { ServiceZone } from './service-zone.ts';

const zone = new ServiceZone('cluster.local');
const add = (name: string, spec: Service['spec'], endpoints: EndpointSlice['endpoints'] = []): void => {
  const service = Service({ metadata: { name, namespace: 'shop' }, ...defined({ spec }) });
  const slice = EndpointSlice({
    metadata: { name },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints,
  });
  zone.set({ namespace: 'shop', name }, { service, slices: [slice] });
};
add('web', { clusterIP: '10.96.1.2', ports: [{ name: 'http', port: 80 }] }, [{ addresses: ['10.244.0.5'] }]);
add('db', { clusterIP: 'None', ports: [{ name: 'http', port: 80 }] }, [
  { addresses: ['10.244.0.6'], hostname: 'db-0' },
  { addresses: ['10.244.0.7'], hostname: 'db-1', conditions: { ready: false } },
  { addresses: ['10.244.0.8'] },
]);
add('ext', { type: 'ExternalName', externalName: 'db.example.com' });
add('empty', { clusterIP: 'None' });

const ask = (name: string, type: keyof typeof recordTypes = 'A') => {
  const answer = zone.answer({ name, type: recordTypes[type] });
  return answer && (answer.code === 3 ? 'NXDOMAIN' : answer.answers.map(text));
};
const text = (record: NonNullable<ReturnType<ServiceZone['answer']>>['answers'][number]): string => {
  if (record.type === 'A') return record.address;
  if (record.type === 'SRV') return `${record.weight} ${record.port} ${record.target}`;
  return 'target' in record ? `${record.type} ${record.target}` : record.type;
};

describe('ServiceZone', () => {
  const of = (name: string): string => `${name}.shop.svc.cluster.local`;
  it.each([
    ['the address of a service', of('web'), 'A', ['10.96.1.2']],
    ['the ready endpoints of a headless service', of('db'), 'A', ['10.244.0.6', '10.244.0.8']],
    ['an endpoint by its host name', of('db-0.db'), 'A', ['10.244.0.6']],
    ['an endpoint by its address', of('10-244-0-8.db'), 'A', ['10.244.0.8']],
    ['an external name', of('ext'), 'A', ['CNAME db.example.com']],
    ['a port of a service', of('_http._tcp.web'), 'SRV', [`100 80 ${of('web')}`]],
    [
      'a port of the endpoints',
      of('_http._tcp.db'),
      'SRV',
      [`50 8080 ${of('db-0.db')}`, `50 8080 ${of('10-244-0-8.db')}`],
    ],
    ['a pod by its address', '10-244-0-9.shop.pod.cluster.local', 'A', ['10.244.0.9']],
    ['a service by its address', '2.1.96.10.in-addr.arpa', 'PTR', [`PTR ${of('web')}`]],
    ['an endpoint by its address, in reverse', '6.0.244.10.in-addr.arpa', 'PTR', [`PTR ${of('db-0.db')}`]],
    ['nothing for a type that a name does not have', of('web'), 'AAAA', []],
    ['no unready endpoint', of('db-1.db'), 'A', 'NXDOMAIN'],
    ['no unknown service', of('other'), 'A', 'NXDOMAIN'],
    ['no headless service without endpoints', of('empty'), 'A', 'NXDOMAIN'],
    ['no other port', of('_other._tcp.web'), 'SRV', 'NXDOMAIN'],
    ['no name that only looks like an address', 'a-b.shop.pod.cluster.local', 'A', 'NXDOMAIN'],
    ['the version', 'dns-version.cluster.local', 'TXT', ['TXT']],
  ] as const)('resolves %s', (_, name, type, expected) => {
    expect(ask(name, type)).toEqual(expected);
  });

  it('does not answer for names outside the zone', () => {
    expect(ask('example.com')).toBeUndefined();
    expect(ask('notcluster.local')).toBeUndefined();
    expect(ask('9.9.9.9.in-addr.arpa', 'PTR')).toBeUndefined();
  });

  it('adds the addresses of the targets of SRV records', () => {
    const answer = zone.answer({ name: of('_http._tcp.db'), type: recordTypes.SRV });
    expect(answer?.additional?.map(text)).toEqual(['10.244.0.6', '10.244.0.8']);
  });

  it('drops the records of deleted services', () => {
    add('gone', { clusterIP: '10.96.9.9' });
    expect(ask('9.9.96.10.in-addr.arpa', 'PTR')).toHaveLength(1);
    zone.set({ namespace: 'shop', name: 'gone' }, undefined);
    expect(ask(of('gone'))).toBe('NXDOMAIN');
    expect(ask('9.9.96.10.in-addr.arpa', 'PTR')).toBeUndefined();
  });
});
