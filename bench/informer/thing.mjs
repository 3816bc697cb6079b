/** Creates the benchmarks' i-th object in the given version: 2 KB, about the size of a pod. */
export function thing(i, version) {
  const labels = {
    'app.kubernetes.io/name': `app-${i % 100}`,
    'app.kubernetes.io/instance': `instance-${i}`,
    tier: 'web',
  };
  const containers = [0, 1].map((n) => ({
    name: `container-${n}`,
    image: `registry.example.com/team/image-${i % 50}:v1.${version}`,
    args: ['--port=8080', '--verbose', `--id=${i}`],
    env: Array.from({ length: 6 }, (_, e) => ({ name: `VARIABLE_${e}`, value: `value-${e}-${i}` })),
    resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '10m', memory: '64Mi' } },
  }));
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: {
      name: `thing-${String(i).padStart(6, '0')}`,
      namespace: `namespace-${i % 20}`,
      uid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      resourceVersion: String(1_000_000 + version * 100_000 + i),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
      annotations: { 'example.com/note': 'x'.repeat(120) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `owner-${i}`,
          uid: `10000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { containers, nodeName: `node-${i % 10}`, restartPolicy: 'Always' },
    status: {
      phase: 'Running',
      conditions: ['Ready', 'Initialized'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  };
}
