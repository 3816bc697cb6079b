import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../../testdata/plane-under-test.ts';
import { modeLabel, privilegedPolicy } from './security-policy.ts';

const namespaces = '/api/v1/namespaces';
const merge = { 'content-type': 'application/merge-patch+json' };
const plain = { containers: [{ name: 'a', image: 'i' }] };
const privileged = { containers: [{ name: 'a', image: 'i', securityContext: { privileged: true } }] };

describe('PodSecurity', () => {
  let plane: PlaneUnderTest;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start({
      podSecurity: {
        defaults: { ...privilegedPolicy, enforce: { level: 'baseline', minor: Number.POSITIVE_INFINITY } },
        exemptions: { namespaces: ['exempt'], usernames: ['trusted'], runtimeClasses: ['isolated'] },
      },
    });
    await plane.send('POST', '/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'isolated' }, handler: 'h' });
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  async function namespace(name: string, labels: object = {}) {
    const made = await plane.send('POST', namespaces, { metadata: { name, labels } });
    await plane.send('POST', `${namespaces}/${name}/serviceaccounts`, { metadata: { name: 'default' } });
    return made;
  }
  const create = (where: string, spec: object, headers = {}) =>
    plane.send('POST', `${namespaces}/${where}/pods`, { metadata: { name: 'p' }, spec }, headers);
  const label = (where: string, labels: object) =>
    plane.send('PATCH', `${namespaces}/${where}`, { metadata: { labels } }, merge);

  it('rejects pods that violate the default level, but accepts updates of their labels', async () => {
    await namespace('defaults');
    const refused = await create('defaults', privileged);
    expect(JSON.parse(refused.text)).toMatchObject({
      reason: 'Forbidden',
      message:
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged (container "a" must not set securityContext.privileged=true)',
    });
    expect((await create('defaults', plain)).status).toBe(201);
    await label('defaults', { [modeLabel('enforce')]: 'restricted' });
    const pod = `${namespaces}/defaults/pods/p`;
    expect((await plane.send('PATCH', pod, { metadata: { labels: { a: 'b' } } }, merge)).status).toBe(200);
    const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'j' }];
    const json = { 'content-type': 'application/json-patch+json' };
    expect((await plane.send('PATCH', pod, image, json)).status).toBe(403);
  });

  it('warns about pods and templates', async () => {
    await namespace('warned', { [modeLabel('warn')]: 'baseline', [modeLabel('enforce')]: 'privileged' });
    const warning =
      '299 - "would violate PodSecurity \\"baseline:latest\\": privileged (container \\"a\\" must not set securityContext.privileged=true)"';
    expect(await create('warned', privileged)).toMatchObject({ status: 201, warning });
    const template = { metadata: { labels: { a: 'b' } }, spec: privileged };
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    const path = '/apis/apps/v1/namespaces/warned/deployments';
    expect(await plane.send('POST', path, deployment)).toMatchObject({ status: 201, warning });
  });

  it('warns at the enforced level if the namespace sets no warn level', async () => {
    await namespace('enforced', { [modeLabel('enforce')]: 'restricted' });
    expect((await create('enforced', plain)).status).toBe(403);
    const template = { metadata: { labels: { a: 'b' } }, spec: plain };
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    const made = await plane.send('POST', '/apis/apps/v1/namespaces/enforced/deployments', deployment);
    expect(made.warning).toContain('would violate PodSecurity \\"restricted:latest\\"');
  });

  it('lists existing pods that violate a stricter level', async () => {
    await namespace('stricter', { [modeLabel('enforce')]: 'privileged' });
    await create('stricter', privileged);
    expect((await label('stricter', { [modeLabel('enforce')]: 'baseline' })).warning).toBe(
      '299 - "existing pods in namespace \\"stricter\\" violate the new PodSecurity enforce level \\"baseline:latest\\"", 299 - "p: privileged"',
    );
    expect((await label('stricter', { [modeLabel('enforce')]: 'privileged' })).warning).toBeUndefined();
  });

  it('rejects labels with unknown levels or versions', async () => {
    const labels = { [modeLabel('enforce')]: 'bogus', [modeLabel('warn', '-version')]: 'v2' };
    expect(JSON.parse((await namespace('bogus', labels)).text).message).toBe(
      'Namespace "bogus" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "bogus": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v2": must be "latest" or "v1.x"]',
    );
  });

  it('exempts namespaces, users and runtime classes', async () => {
    const exempt = await namespace('exempt', { [modeLabel('enforce')]: 'restricted' });
    expect(exempt.warning).toBe(
      '299 - "namespace \\"exempt\\" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored"',
    );
    expect((await create('exempt', privileged)).status).toBe(201);
    await namespace('strict', { [modeLabel('enforce')]: 'restricted' });
    expect((await create('strict', { ...plain, runtimeClassName: 'isolated' })).status).toBe(201);
    const trusted = { 'impersonate-user': 'trusted', 'impersonate-group': 'system:masters' };
    expect((await create('strict', privileged, trusted)).status).toBe(409);
    expect((await create('strict', privileged)).status).toBe(403);
  });
});
