import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type GenerateResult, Generator } from '@kubewright/codegen';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isExisting } from '../environment/environment.ts';
import { eventually } from '../webhooks/operated-cluster.ts';
import { AggregatedCluster } from './aggregated-cluster.ts';
import { Well } from './testdata/wells/wells.ts';

const root = fileURLToPath(new URL('./testdata/wells/', import.meta.url));
const APISERVICE = 'config/apiservice/wells.example.com_v1.yaml';
const DOCUMENT = 'config/openapi/wells.example.com_v1.json';

/** Returns the files generated from the project, unchanged or with the kind served by a CRD. */
async function generated(servedBy: 'aggregated' | 'crd'): Promise<ReadonlyMap<string, string>> {
  const text = readFileSync(`${root}wells.ts`, 'utf8').replace("servedBy: 'aggregated'", `servedBy: '${servedBy}'`);
  const generator = new Generator({ root, sources: ['wells.ts'], projectName: 'wells' });
  const { files, problems }: GenerateResult = await generator.generate({
    overlay: new Map([[`${root}wells.ts`, text]]),
  });
  expect(problems).toEqual([]);
  return new Map(files.map((file) => [file.path, file.text]));
}

describe.skipIf(isExisting())('files generated for a kind of an aggregated server', () => {
  let cluster: AggregatedCluster;
  let files: ReadonlyMap<string, string>;
  /** The output of `kubectl explain` while a CRD defines the kind. */
  const explained = new Map<string, string>();
  beforeAll(async () => {
    files = await generated('aggregated');
    const { service } = (parse(files.get(APISERVICE) ?? '') as { readonly spec: { readonly service: typeof place } })
      .spec;
    cluster = await AggregatedCluster.start(Well, { openApi: files.get(DOCUMENT) ?? '', place: service });
    await cluster.put('/api/v1/namespaces', { metadata: { name: service.namespace } });
    await explainCrd();
    await cluster.createService();
    await cluster.pointServiceTo(await cluster.server.listen());
  }, 120_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const QUESTIONS = ['well', 'well --recursive', 'well.spec.layers', 'well.metadata', 'well.spec.template.spec'];
  const place = { namespace: '', name: '' };

  async function explainCrd(): Promise<void> {
    const crd = (await generated('crd')).get('config/crd/bases/wells.example.com_wells.yaml') ?? '';
    expect((await cluster.kubectl.run('apply -f -', crd)).stderr).toBe('');
    await cluster.kubectl.run('wait --for=condition=Established crd/wells.wells.example.com --timeout=20s');
    for (const question of QUESTIONS) {
      const { stdout, stderr } = await cluster.kubectl.run(`explain ${question}`);
      expect(stderr).toBe('');
      explained.set(question, stdout);
    }
    await cluster.kubectl.run('delete crd wells.wells.example.com');
    await eventually('the group version is free', async () => {
      const { exitCode } = await cluster.kubectl.run(`get apiservice ${cluster.apiService}`);
      return exitCode !== 0;
    });
  }

  it('contain an APIService and a document instead of a CRD, and the same roles', () => {
    expect([...files.keys()]).toEqual([
      'config/apiserver/kinds.json',
      APISERVICE,
      DOCUMENT,
      'config/rbac/role.yaml',
      'config/rbac/well_admin_role.yaml',
      'config/rbac/well_editor_role.yaml',
      'config/rbac/well_viewer_role.yaml',
    ]);
  });

  it('are byte-for-byte identical on each run', async () => {
    expect(await generated('aggregated')).toEqual(files);
  });

  it('register the group version with the server', async () => {
    const caBundle = Buffer.from(cluster.server.ca).toString('base64');
    const manifest = parse(files.get(APISERVICE) ?? '') as { readonly spec: object };
    const trusted = JSON.stringify({ ...manifest, spec: { ...manifest.spec, caBundle } });
    expect(await cluster.kubectl.run('apply -f -', trusted)).toMatchObject({ stderr: '', exitCode: 0 });
    const waited = await cluster.kubectl.run(
      `wait --for=condition=Available apiservice/${cluster.apiService} --timeout=20s`,
    );
    expect(waited.stderr).toBe('');
    await eventually('the document is listed', async () => {
      const { stdout } = await cluster.kubectl.run('get --raw /openapi/v3');
      return stdout.includes('"apis/wells.example.com/v1":{"serverRelativeURL"');
    });
  });

  it.each(QUESTIONS)('explain the kind as a CRD does: %s', async (question) => {
    const { stdout, stderr } = await cluster.kubectl.run(`explain ${question}`);
    expect(stderr).toBe('');
    expect(stdout).toBe(explained.get(question));
    expect(stdout).toContain('GROUP:      wells.example.com');
  });

  it('let kubectl create an object and leave field validation to the server', async () => {
    const well = { apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name: 'deep' }, spec: { depth: 3 } };
    const made = await cluster.kubectl.run('create -f -', JSON.stringify(well));
    expect(made).toMatchObject({ stdout: 'well.wells.example.com/deep created\n', stderr: '' });
    const asked = cluster.server.seen.findLast(({ method }) => method === 'POST');
    expect(asked?.url).toContain('fieldValidation=Strict');
  });

  it('include the document, which is served unchanged to authorized users', async () => {
    const before = cluster.server.seen.length;
    const { stdout } = await cluster.kubectl.run('get --raw /openapi/v3/apis/wells.example.com/v1?hash=1');
    expect(stdout).toBe(files.get(DOCUMENT));
    const refused = await cluster.kubectl.run('get --raw /openapi/v3/apis/wells.example.com/v1 --as=system:anonymous');
    expect(refused.stderr).toContain('forbidden');
    const asked = cluster.server.seen.slice(before).filter(({ url }) => url.startsWith('/openapi/v3/apis'));
    expect(asked.map(({ headers }) => headers['x-remote-user'])).toEqual(['kubernetes-admin']);
  });
});
