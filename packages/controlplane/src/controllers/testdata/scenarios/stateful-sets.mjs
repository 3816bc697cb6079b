/** Scenarios of stateful sets. */
import { template } from './deployments.mjs';

const set = (spec = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', annotations: { note: 'mine' } },
  spec: { replicas: 2, serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template: template('app:1', { app: 'db' }), ...spec },
});
const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } } };
const image = (text) => ({ spec: { template: { spec: { containers: [{ name: 'c', image: text }] } } } });
const names = async (t) => (await t.list('pods')).map(({ metadata }) => metadata.name).sort().join();

export async function steady(t, replicas, condition = () => true) {
  await t.until(`${replicas} pods`, async () => {
    const { metadata, status } = await t.get('statefulsets', 'db');
    const seen = status.observedGeneration >= metadata.generation;
    return seen && status.replicas === replicas && status.availableReplicas === replicas && condition(status);
  });
}

export const statefulSets = {
  async 'stateful set: ordered, with volume claims'(t) {
    await t.create('statefulsets', set({ template: { ...template('bad:1', { app: 'db' }) }, volumeClaimTemplates: [claim] }));
    await t.until('the first pod', async () => (await names(t)) === 'db-0');
    await t.picture('waiting for the first', { events: true });
    await t.delete('statefulsets', 'db', { propagationPolicy: 'Foreground' });
    await t.until('the set to go', async () => !(await t.get('statefulsets', 'db')));
    await t.picture('claims stay');
  },
  async 'stateful set: create and scale'(t) {
    await t.create('statefulsets', set());
    await steady(t, 2);
    await t.picture('running', { events: true });
    await t.patch('statefulsets', 'db', { spec: { replicas: 3 } });
    await steady(t, 3);
    await t.patch('statefulsets', 'db', { spec: { replicas: 1 } });
    await steady(t, 1);
    await t.picture('scaled', { events: true });
    const [{ metadata }] = await t.list('pods');
    await t.delete('pods', 'db-0');
    await t.until('another db-0', async () => (await t.get('pods', 'db-0'))?.metadata.uid !== metadata.uid);
    await steady(t, 1);
    await t.picture('replaced');
  },
  async 'stateful set: rolling update and rollback'(t) {
    await t.create('statefulsets', set());
    await steady(t, 2);
    await t.patch('statefulsets', 'db', image('app:2'), 'strategic');
    await steady(t, 2, (status) => status.currentRevision === status.updateRevision && status.updatedReplicas === 2);
    await t.picture('updated', { events: true });
    await t.patch('statefulsets', 'db', image('app:1'), 'strategic');
    await steady(t, 2, (status) => status.currentRevision === status.updateRevision && status.updatedReplicas === 2);
    await t.picture('rolled back');
  },
  async 'stateful set: partition, ordinals, parallel'(t) {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
    await t.create('statefulsets', set({ updateStrategy, podManagementPolicy: 'Parallel', ordinals: { start: 3 } }));
    await steady(t, 2);
    await t.patch('statefulsets', 'db', { metadata: { annotations: { note: 'other' } } });
    await t.rest();
    await t.picture('parallel');
  },
  async 'stateful set: partition'(t) {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
    await t.create('statefulsets', set({ updateStrategy }));
    await steady(t, 2);
    await t.patch('statefulsets', 'db', image('app:2'), 'strategic');
    await steady(t, 2, (status) => status.updatedReplicas === 1);
    await t.picture('half updated');
    await t.delete('pods', 'db-0');
    await t.rest();
    await steady(t, 2, (status) => status.updatedReplicas === 1);
    await t.picture('the old revision again');
  },
  async 'stateful set: OnDelete strategy'(t) {
    await t.create('statefulsets', set({ updateStrategy: { type: 'OnDelete' } }));
    await steady(t, 2);
    await t.patch('statefulsets', 'db', image('app:2'), 'strategic');
    await steady(t, 2);
    const old = await t.get('pods', 'db-1');
    await t.delete('pods', 'db-1');
    await t.until('another db-1', async () => ![undefined, old.metadata.uid].includes((await t.get('pods', 'db-1'))?.metadata.uid));
    await steady(t, 2, (status) => status.updatedReplicas === 1);
    await t.picture('one updated');
  },
};
