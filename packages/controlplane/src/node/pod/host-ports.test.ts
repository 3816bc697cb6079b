import { Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { hostPortConflict } from './host-ports.ts';

const pod = (hostPort: number, more: { hostIP?: string; protocol?: 'TCP' | 'UDP' } = {}): Pod =>
  Pod({
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'c', ports: [{ containerPort: 80, hostPort, ...more }] }] },
  });

describe('hostPortConflict', () => {
  it.each([
    [pod(80), pod(80), true],
    [pod(80), pod(81), false],
    [pod(80), pod(80, { protocol: 'UDP' }), false],
    [pod(80, { hostIP: '127.0.0.1' }), pod(80), true],
    [pod(80, { hostIP: '127.0.0.1' }), pod(80, { hostIP: '127.0.0.2' }), false],
  ])('compares port, protocol and address (%#)', (wanted, present, conflicts) => {
    expect(hostPortConflict(wanted, [present])?.reason).toBe(conflicts ? 'NodePorts' : undefined);
  });
});
