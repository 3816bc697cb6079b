import { forbidden } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import { Asked } from '../testdata/asked.ts';

const wells = '/apis/wells.example.com/v1/namespaces/default/wells';
const well = { apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name: 'w' }, spec: { depth: 3 } };

/** Records the owner of each object; only the owner can delete it. */
const owners: AdmissionPlugin = {
  name: 'Owners',
  async mutate({ operation, object, user }) {
    if (operation === 'CREATE' && object !== undefined)
      object.metadata.annotations = { ...object.metadata.annotations, 'example.com/owner': user.username };
  },
  async validate({ operation, oldObject, user }) {
    const { name = '', annotations } = oldObject?.metadata ?? {};
    if (operation === 'DELETE' && annotations?.['example.com/owner'] !== user.username)
      throw forbidden({ group: 'wells.example.com', resource: 'wells' }, name, 'only its owner may delete it');
  },
};

it('runs its own admission plugins for writes of stored kinds', async () => {
  await using asked = new Asked({ admissionPlugins: [owners] });
  const as = (commonName: string) => ({
    connection: {
      remoteAddress: '127.0.0.1',
      protocol: 'in-process' as const,
      clientCertificate: { commonName, organizations: ['system:masters'] },
    },
  });
  const created = await asked.send('POST', wells, { json: well, ...as('jane') });
  expect(created.json.metadata.annotations).toEqual({ 'example.com/owner': 'jane' });
  expect((await asked.send('DELETE', `${wells}/w`, as('ann'))).json).toMatchObject({
    code: 403,
    message: 'wells.wells.example.com "w" is forbidden: only its owner may delete it',
  });
  expect((await asked.send('DELETE', `${wells}/w`, as('jane'))).status).toBe(200);
});
