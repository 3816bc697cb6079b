import { Pod } from '@kubewright/apimachinery/core/v1';
import { expect, it } from 'vitest';
import { unenforcedSettings } from './unenforced-settings.ts';

const pod = (spec: NonNullable<Pod['spec']>) => Pod({ metadata: { name: 'p' }, spec });

it('finds nothing in a pod that needs no limits and no profiles', () => {
  const containers = [
    {
      name: 'main',
      resources: { requests: { cpu: '1' }, limits: { 'example.com/gpu': '1' } },
      securityContext: { seccompProfile: { type: 'Unconfined' } },
      volumeMounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'None' }],
    },
  ] as const;
  expect(unenforcedSettings(pod({ containers }))).toEqual([]);
});

it('lists limits, profiles, sysctls and mount propagation with their containers', () => {
  const spec = {
    securityContext: {
      seccompProfile: { type: 'RuntimeDefault' },
      seLinuxOptions: { level: 's0' },
      sysctls: [{ name: 'net.core.somaxconn', value: '1024' }],
    },
    initContainers: [{ name: 'init', securityContext: { seccompProfile: { type: 'Unconfined' } } }],
    containers: [
      {
        name: 'main',
        resources: { limits: { cpu: '1', memory: '1Gi' } },
        volumeMounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'Bidirectional' }],
      },
      {
        name: 'other',
        resources: { limits: { memory: '1Gi' } },
        securityContext: {
          seccompProfile: { type: 'Localhost', localhostProfile: 'p.json' },
          appArmorProfile: { type: 'RuntimeDefault' },
        },
      },
    ],
  } as const;
  expect(unenforcedSettings(pod(spec))).toEqual([
    'sysctl net.core.somaxconn (the pod)',
    'SELinux options (init, main, other)',
    'cpu limits (main)',
    'memory limits (main, other)',
    'seccomp profile RuntimeDefault (main)',
    'mount propagation Bidirectional (main)',
    'seccomp profile Localhost (other)',
    'AppArmor profile RuntimeDefault (other)',
  ]);
});
