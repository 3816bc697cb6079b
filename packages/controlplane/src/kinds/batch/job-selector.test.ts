import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer, withBuiltinKinds } from '../../kube-apiserver/testdata/test-server.ts';

const path = '/apis/batch/v1/namespaces/default/jobs';
const generated = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name'];

describe('generateJobSelector', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start(withBuiltinKinds);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function created(name: string, labels: Readonly<Record<string, string>> | undefined) {
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    };
    const { status, json } = await server.post(path, { metadata: { name, labels }, spec: { template } });
    expect(status).toBe(201);
    const keys = (of: object | undefined) => Object.keys(of ?? {}).sort();
    return { job: keys(json.metadata.labels), template: keys(json.spec.template.metadata.labels) };
  }

  it('adds the generated labels to the pod template', async () => {
    expect(await created('other', { app: 'b' })).toEqual({ job: ['app'], template: ['app', ...generated] });
  });

  it("keeps a job's labels even if they equal the labels of its template", async () => {
    expect(await created('equal', { app: 'a' })).toEqual({ job: ['app'], template: ['app', ...generated] });
  });

  it.each([['none', undefined] as const, ['empty', {}] as const])(
    'also adds them to a job that inherits its labels from the template (%s)',
    async (name, labels) => {
      expect(await created(name, labels)).toEqual({ job: ['app', ...generated], template: ['app', ...generated] });
    },
  );
});
