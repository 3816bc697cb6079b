import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { describe, expect, it } from 'vitest';
import { readyPods } from './ready-pods.ts';

const pod = (name: string) => ({ kind: 'Pod', namespace: 'shop', name });
const slice = (ports: EndpointSlice['ports'], endpoints: NonNullable<EndpointSlice['endpoints']>): EndpointSlice =>
  EndpointSlice({ metadata: { namespace: 'shop', name: 'web' }, addressType: 'IPv4', ports: ports ?? [], endpoints });

describe('readyPods', () => {
  it('returns ready pods with their ports, each once', () => {
    const slices = [
      slice([{ name: 'http', port: 8080 }], [{ addresses: ['10.0.0.1'], targetRef: pod('a') }]),
      slice(
        [{ name: 'http', port: 9090 }],
        [
          { addresses: ['10.0.0.2'], targetRef: pod('b'), conditions: { ready: true } },
          { addresses: ['10.0.0.3'], targetRef: pod('c'), conditions: { ready: false } },
        ],
      ),
      slice([{ name: 'http', port: 8080 }], [{ addresses: ['fd00::1'], targetRef: pod('a') }]),
    ];
    expect(readyPods({ name: 'http', port: 80 }, slices)).toEqual([
      { namespace: 'shop', name: 'a', port: 8080 },
      { namespace: 'shop', name: 'b', port: 9090 },
    ]);
  });

  it('leaves out other ports, protocols and endpoints', () => {
    const slices = [
      slice([{ name: 'metrics', port: 8080 }], [{ addresses: ['10.0.0.1'], targetRef: pod('a') }]),
      slice([{ port: 53, protocol: 'UDP' }], [{ addresses: ['10.0.0.1'], targetRef: pod('a') }]),
      slice([{ port: 8080 }], [{ addresses: ['192.0.2.1'] }]),
    ];
    expect(readyPods({ port: 80 }, slices)).toEqual([]);
  });
});
