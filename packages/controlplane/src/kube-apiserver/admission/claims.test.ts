import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
const classes = '/apis/storage.k8s.io/v1/storageclasses';
const json = { 'content-type': 'application/json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

describe('admission of claims', () => {
  let plane: PlaneUnderTest;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const create = async (name: string, more: object = {}, annotations: object = {}) => {
    const { text } = await plane.send(
      'POST',
      claims,
      { metadata: { name, annotations }, spec: { ...spec, ...more } },
      json,
    );
    return JSON.parse(text);
  };
  const storageClass = (name: string, annotations: object, more: object = {}) =>
    plane.send('POST', classes, { metadata: { name, annotations }, provisioner: 'example.com/disks', ...more }, json);
  const patch = async (name: string, body: object, subresource = '') => {
    const { status, text } = await plane.send('PATCH', `${claims}/${name}${subresource}`, body, merge);
    return { status, message: JSON.parse(text).message };
  };
  const grow = (name: string, storage: string) => patch(name, { spec: { resources: { requests: { storage } } } });

  it('sets the newest default class on a claim without a class', async () => {
    expect((await create('early')).spec.storageClassName).toBeUndefined();
    await storageClass('other', {});
    await storageClass('b', isDefault);
    await storageClass('a', isDefault);
    // Both classes were created in the same second of the test clock, so the name decides.
    expect((await create('late')).spec.storageClassName).toBe('a');
    expect((await create('classless', { storageClassName: '' })).spec.storageClassName).toBe('');
    const old = { 'volume.beta.kubernetes.io/storage-class': 'other' };
    expect((await create('annotated', {}, old)).spec.storageClassName).toBeUndefined();
  });

  it('allows setting the class of a claim without a class only once', async () => {
    const assign = (storageClassName: string) => patch('early', { spec: { storageClassName } });
    expect((await assign('a')).status).toBe(200);
    expect(await assign('b')).toMatchObject({
      status: 422,
      message: expect.stringContaining('spec is immutable after creation except resources.requests'),
    });
  });

  it('lets a bound claim grow if its class allows it', async () => {
    const refused = (why: string) => ({
      status: 403,
      message: `persistentvolumeclaims "growing" is forbidden: ${why}`,
    });
    await storageClass('elastic', {}, { allowVolumeExpansion: true });
    await create('growing', { storageClassName: 'elastic' });
    expect(await grow('growing', '2Gi')).toMatchObject({ status: 422 });
    await patch('growing', { status: { phase: 'Bound', capacity: { storage: '1Gi' } } }, '/status');
    expect((await grow('growing', '2Gi')).status).toBe(200);
    expect(await grow('growing', '1Gi')).toMatchObject({
      status: 422,
      message: expect.stringContaining('field can not be less than status.capacity'),
    });
    expect((await grow('growing', '1536Mi')).status).toBe(200);
    await plane.send('PATCH', `${classes}/elastic`, { allowVolumeExpansion: false }, merge);
    expect(await grow('growing', '4Gi')).toEqual(
      refused(
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      ),
    );
  });
});
