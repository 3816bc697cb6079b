import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configFiles } from './config-files.ts';

const present = ['config/apiserver/kinds.json', 'config/apiservice/wells.example.com_v1.yaml', 'config/rbac/role.yaml'];

function filesWith(certificates: 'own' | 'cert-manager'): ReadonlyMap<string, string> {
  const files = configFiles({ project: { name: 'wells', certificates }, present });
  return new Map(files.map(({ path, text }) => [path, text]));
}

function list(files: ReadonlyMap<string, string>, path: string): { resources: string[]; patches: { path: string }[] } {
  return parse(files.get(path) ?? '') as ReturnType<typeof list>;
}

describe("the manifests of a project's own API server", () => {
  it('contain its Service and the patch of the Deployment', () => {
    const files = filesWith('own');
    const { resources, patches } = list(files, 'config/default/kustomization.yaml');
    expect(resources).toEqual(expect.arrayContaining(['../apiservice', '../apiserver']));
    expect(patches.map(({ path }) => path)).toEqual(['manager_apiserver_patch.yaml']);
    expect(parse(files.get('config/apiserver/service.yaml') ?? '')).toMatchObject({
      metadata: { name: 'apiserver-service' },
      spec: { ports: [{ port: 443, targetPort: 6443 }] },
    });
    const patch = parse(files.get('config/default/manager_apiserver_patch.yaml') ?? '') as {
      value: { name: string };
    }[];
    expect(patch.flatMap(({ value }) => (value.name === undefined ? [] : [value.name]))).toEqual([
      'APISERVER_HOST',
      'APISERVER_PORT',
      'APISERVER_CERT_PATH',
      'APISERVER_SHUTDOWN_DELAY_SECONDS',
      'apiserver-certs',
      'apiserver',
      'apiserver-certs',
    ]);
  });

  it('let cert-manager issue its certificate and inject the CA', () => {
    const files = filesWith('cert-manager');
    expect(parse(files.get('config/certmanager/certificate-apiserver.yaml') ?? '')).toMatchObject({
      metadata: { name: 'apiserver-cert' },
      spec: {
        secretName: 'apiserver-server-cert',
        dnsNames: expect.arrayContaining(['wells-apiserver-service.wells-system.svc']),
      },
    });
    expect(list(files, 'config/certmanager/kustomization.yaml').resources).toContain('certificate-apiserver.yaml');
    const { patches } = list(files, 'config/default/kustomization.yaml');
    expect(patches.map(({ path }) => path)).toContain('apiservicecainjection_patch.yaml');
    const [injection] = parse(files.get('config/default/apiservicecainjection_patch.yaml') ?? '') as {
      value: string;
    }[];
    expect(injection?.value).toBe('wells-system/wells-apiserver-cert');
  });

  it('are absent if the project has no API server', () => {
    const files = configFiles({ project: { name: 'wells', certificates: 'cert-manager' }, present: [] });
    expect(files.filter(({ path, text }) => /apiserver/.test(path + text))).toEqual([]);
  });
});
