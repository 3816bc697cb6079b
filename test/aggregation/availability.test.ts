import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isExisting } from '../environment/environment.ts';
import { eventually } from '../webhooks/operated-cluster.ts';
import { AggregatedCluster } from './aggregated-cluster.ts';
import { AggregatedServer, type ServedKind } from './aggregated-server.ts';

const kind: ServedKind = {
  group: 'wells.example.com',
  version: 'v1',
  kind: 'Well',
  plural: 'wells',
  singular: 'well',
  shortNames: [],
};

describe.skipIf(isExisting())('the Available condition of an APIService', () => {
  let cluster: AggregatedCluster;
  let port: number;
  beforeAll(async () => {
    cluster = await AggregatedCluster.start(kind);
    port = await cluster.server.listen();
    await cluster.register();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const column = async (): Promise<string> => {
    const { stdout } = await cluster.kubectl.run(`get apiservice ${cluster.apiService} --no-headers`);
    return stdout.split(/ {2,}/).slice(1, 3).join(' ');
  };
  const message = async (): Promise<string> => {
    const path = `apiservice ${cluster.apiService} -o jsonpath='{.status.conditions[0].message}'`;
    return (await cluster.kubectl.run(`get ${path}`)).stdout;
  };
  const becomes = (shown: string): Promise<void> => eventually(shown, async () => (await column()) === shown);

  /** Returns the group version's entry in the aggregated discovery document. */
  const entry = async (): Promise<{ readonly freshness?: string; readonly resources?: readonly object[] }> => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { items } = (await cluster.client.request({ method: 'GET', path: '/apis', headers: { accept } })) as {
      readonly items: readonly { readonly metadata: { readonly name: string }; readonly versions: readonly object[] }[];
    };
    return items.find(({ metadata }) => metadata.name === kind.group)?.versions[0] ?? {};
  };

  it('is False (ServiceNotFound) before the Service exists', async () => {
    await becomes('default/wells False (ServiceNotFound)');
    expect(await message()).toBe('service/wells in "default" is not present');
  });

  it('answers requests with 503 until the Service exists', async () => {
    const { stderr, exitCode } = await cluster.kubectl.run('get --raw /apis/wells.example.com/v1/wells');
    expect(stderr).toBe(
      'Error from server (ServiceUnavailable): the server is currently unable to handle the request\n',
    );
    expect(exitCode).toBe(1);
    expect(cluster.server.seen).toEqual([]);
  });

  it('is False (EndpointsNotFound) without endpoints', async () => {
    await cluster.createService();
    await becomes('default/wells False (EndpointsNotFound)');
    expect(await message()).toBe('cannot find endpointslices for service/wells in "default"');
  });

  it('is False (MissingEndpoints) while no endpoint is ready', async () => {
    await cluster.pointServiceTo(port, { ready: false });
    await becomes('default/wells False (MissingEndpoints)');
    expect(await message()).toBe('endpointslices for service/wells in "default" have no addresses with port name ""');
  });

  it('is False (FailedDiscoveryCheck) while no server listens', async () => {
    await cluster.leadNowhere();
    await cluster.pointServiceTo(9);
    await becomes('default/wells False (FailedDiscoveryCheck)');
    const url = 'https://127.0.0.1:9/apis/wells.example.com/v1';
    expect(await message()).toBe(
      `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:9: connect: connection refused`,
    );
  });

  it('is True (Passed) once the server answers', async () => {
    await cluster.leadNowhere();
    await cluster.pointServiceTo(port);
    await becomes('default/wells True');
    expect(await message()).toBe('all checks passed');
    await eventually('its resources are in discovery', async () => {
      const { stdout } = await cluster.kubectl.run('api-resources --api-group=wells.example.com -o name');
      return stdout === 'wells.wells.example.com\n';
    });
  });

  it('is False (FailedDiscoveryCheck) if another authority signed the certificate', async () => {
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${cluster.apiService}`;
    await cluster.client.request({ method: 'DELETE', path });
    const foreign = new AggregatedServer(kind, {
      openApi: '{}',
      host: 'wells.default.svc',
      clientCa: cluster.server.ca,
    });
    await cluster.register({ caBundle: Buffer.from(foreign.ca).toString('base64') });
    await becomes('default/wells False (FailedDiscoveryCheck)');
    expect(await message()).toContain(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  });

  it('is True if certificate verification is disabled', async () => {
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${cluster.apiService}`;
    await cluster.client.request({ method: 'DELETE', path });
    await cluster.register({ insecureSkipTLSVerify: true });
    await becomes('default/wells True');
  });

  it('serves the last discovery data as stale when the server fails', async () => {
    cluster.server.failing = 500;
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${cluster.apiService}`;
    const body = { spec: { versionPriority: 11 } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    await cluster.client.request({ method: 'PATCH', path, body, headers });
    await becomes('default/wells False (FailedDiscoveryCheck)');
    expect(await message()).toMatch(/: bad status from https:.*: 500$/);
    await eventually('its entry is marked', async () => (await entry()).freshness === 'Stale');
    expect((await entry()).resources).toMatchObject([{ resource: 'wells' }]);
    cluster.server.failing = undefined;
    await becomes('default/wells True');
  });

  it('is True (Local) for groups that this server serves itself', async () => {
    const { stdout } = await cluster.kubectl.run('get apiservice v1.apps --no-headers');
    expect(stdout).toMatch(/^v1\.apps +Local +True /);
  });

  it('is removed with the APIService, along with the group', async () => {
    await cluster.kubectl.run(`delete apiservice ${cluster.apiService}`);
    const { stdout } = await cluster.kubectl.run('get --raw /apis');
    expect(stdout).not.toContain('wells.example.com');
    const { stderr } = await cluster.kubectl.run('get --raw /apis/wells.example.com/v1/wells');
    expect(stderr).toContain('(NotFound)');
  });
});
