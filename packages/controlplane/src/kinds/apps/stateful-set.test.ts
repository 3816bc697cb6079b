import { expect, it } from 'vitest';
import { PlaneUnderTest } from '../../kube-apiserver/testdata/plane-under-test.ts';

const json = { 'content-type': 'application/json' };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

it('accepts a StatefulSet that mounts its claim templates, and drops fields of disabled features', async () => {
  await using plane = await PlaneUnderTest.start();
  const container = {
    name: 'nginx',
    image: 'nginx',
    volumeMounts: [{ name: 'www', mountPath: '/usr/share/nginx/html' }],
  };
  const spec = {
    serviceName: 'nginx',
    selector: { matchLabels: { app: 'nginx' } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
    template: { metadata: { labels: { app: 'nginx' } }, spec: { containers: [container] } },
    volumeClaimTemplates: [{ metadata: { name: 'www' }, spec: claim }],
  };
  const path = '/apis/apps/v1/namespaces/default/statefulsets';
  const { status, text } = await plane.send('POST', path, { metadata: { name: 'web' }, spec }, json);
  expect(status, text).toBe(201);
  expect(JSON.parse(text).spec.updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { partition: 0 } });
});
