import { homedir } from 'node:os';
import { join } from 'node:path';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { FakeInfrastructure, TestEnvironment, toHaveCondition, toMatch } from '@kubewright/testing';
import { it } from 'vitest';

const assets = process.env['KUBEBUILDER_ASSETS'] ?? join(homedir(), '.cache/kubewright-oracle/bin');
const containers = [{ name: 'web', image: 'web:1' }];

it('FakeInfrastructure works on the programs of envtest, whose API server validates the statuses', async () => {
  const env = { KUBEBUILDER_ASSETS: assets, KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '90s' };
  await using environment = await TestEnvironment.start({ env });
  await using infrastructure = await FakeInfrastructure.start(environment);
  await using namespace = await environment.namespace();
  const { client } = namespace;

  const pod = await client.resource(Pod).create(Pod({ metadata: { name: 'web' }, spec: { containers } }));
  toHaveCondition('Ready')(await infrastructure.makeReady(pod));
  toHaveCondition('Ready', { status: 'False' })(await infrastructure.crash(pod));

  const template = { spec: { containers, restartPolicy: 'Never' as const } };
  const job = Job({ metadata: { name: 'backup' }, spec: { completions: 3, template } });
  const complete = await infrastructure.complete(await client.resource(Job).create(job));
  toHaveCondition('Complete')(complete);
  toMatch({ succeeded: 3 })(complete.status);

  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claims = client.resource(PersistentVolumeClaim);
  const claim = await claims.create(PersistentVolumeClaim({ metadata: { name: 'data' }, spec }));
  toMatch({ phase: 'Bound' })((await infrastructure.bind(claim)).status);
}, 180_000);
