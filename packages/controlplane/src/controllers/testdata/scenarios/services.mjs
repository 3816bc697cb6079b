/** Endpoint slices. */
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
  async 'endpoint slices: pods come and go'(t) {
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
  async 'endpoint slices: headless, not ready'(t) {
    await t.create('services', service({ clusterIP: 'None', publishNotReadyAddresses: true, ports: undefined }));
    await t.create('pods', pod('one', { image: 'unready:1', spec: { hostname: 'first', subdomain: 'web' } }));
    await endpoints(t, (all) => all.length === 1);
    await t.picture('published');
  },
};
