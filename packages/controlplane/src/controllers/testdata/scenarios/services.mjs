/** Scenarios of endpoint slices. */
const pod = (name, more = {}) => ({
  metadata: { name, labels: { app: 'web' }, ...more.metadata },
  spec: { containers: [{ name: 'c', image: more.image ?? 'app:1', ports: [{ name: 'http', containerPort: more.port ?? 8080 }] }], ...more.spec },
});
const service = (spec = {}) => ({
  metadata: { name: 'web', labels: { team: 'a' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'web', port: 80, targetPort: 'http' }], ...spec },
});
const endpoints = (t, condition) =>
  t.until('the endpoints', async () => {
    const slices = await t.list('endpointslices');
    return slices.length > 0 && condition(slices.flatMap((slice) => slice.endpoints ?? []), slices);
  });

export const services = {
  async 'endpoint slices: pods are added and deleted'(t) {
    await t.create('services', service());
    await endpoints(t, (all) => all.length === 0);
    await t.picture('empty');
    await t.create('pods', pod('one'));
    await t.create('pods', pod('two', { image: 'unready:1' }));
    await endpoints(t, (all) => all.length === 2 && all.some(({ conditions }) => conditions.ready));
    await t.picture('two');
    await t.create('pods', pod('other', { port: 9090 }));
    await endpoints(t, (_, slices) => slices.length === 2);
    await t.picture('other ports');
    await t.patch('pods', 'one', { metadata: { annotations: { linger: 'yes' } } });
    await t.delete('pods', 'one');
    await t.delete('pods', 'other');
    await endpoints(t, (all) => all.length === 2 && all.some(({ conditions }) => conditions.terminating));
    await t.picture('terminating');
    await t.patch('pods', 'one', { metadata: { annotations: { linger: null } } });
    await endpoints(t, (all) => all.length === 1);
    await t.delete('services', 'web');
    await t.until('the slices to go', async () => (await t.list('endpointslices')).length === 0);
  },
  async 'endpoint slices: headless service that publishes unready pods'(t) {
    await t.create('services', service({ clusterIP: 'None', publishNotReadyAddresses: true, ports: undefined }));
    await t.create('pods', pod('one', { image: 'unready:1', spec: { hostname: 'first', subdomain: 'web' } }));
    await endpoints(t, (all) => all.length === 1);
    await t.picture('published');
  },
  async 'endpoint slices: mirrored from Endpoints'(t) {
    await t.create('services', { metadata: { name: 'db' }, spec: { ports: [{ port: 5432 }] } });
    const targetRef = { kind: 'Pod', name: 'db-0', namespace: t.namespace, uid: '00000000-0000-4000-8000-000000000000' };
    const subsets = [
      { addresses: [{ ip: '192.0.2.1', targetRef }, { ip: '192.0.2.2', hostname: 'two' }], notReadyAddresses: [{ ip: '192.0.2.3' }], ports: [{ port: 9187, name: 'metrics', appProtocol: 'http' }] },
      { addresses: [{ ip: '192.0.2.1', targetRef }, { ip: '192.0.2.2', hostname: 'two' }], notReadyAddresses: [{ ip: '192.0.2.3' }], ports: [{ port: 5432, name: 'pg' }] },
      { addresses: [{ ip: '2001:db8::1' }, { ip: '192.0.2.9' }], ports: [{ port: 53, protocol: 'UDP' }] },
    ];
    const metadata = { name: 'db', labels: { tier: 'data' }, annotations: { note: 'by hand' } };
    await t.create('endpoints', { metadata, subsets });
    await t.until('the slices', async () => (await t.list('endpointslices')).length === 3);
    await t.picture('mirrored');
    await t.patch('endpoints', 'db', { metadata: { labels: { tier: 'cache' } }, subsets: [{ addresses: [{ ip: '192.0.2.2' }], ports: [{ port: 5432, name: 'pg' }] }] });
    await t.until('one slice', async () => {
      const slices = await t.list('endpointslices');
      return slices.length === 1 && slices[0].metadata.labels.tier === 'cache';
    });
    await t.picture('changed');
    await t.patch('services', 'db', { spec: { selector: { app: 'db' } } });
    await t.until('a slice of the selector', async () => {
      const slices = await t.list('endpointslices');
      return slices.length === 1 && slices[0].metadata.labels['endpointslice.kubernetes.io/managed-by'] === 'endpointslice-controller.k8s.io';
    });
  },
};
