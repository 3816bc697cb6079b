import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubernetesVersions } from './kubernetes-versions.ts';

describe('kubernetesVersions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-versions-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const install = (name: string, ...programs: string[]): void => {
    mkdirSync(join(folder, 'k8s', name), { recursive: true });
    for (const program of programs) writeFileSync(join(folder, 'k8s', name, program), '');
  };

  it('lists the embedded cluster, then complete installations, oldest first', () => {
    install('1.36.0-linux-amd64', 'etcd', 'kube-apiserver', 'kubectl');
    install('1.9.11-linux-amd64', 'etcd', 'kube-apiserver');
    install('1.35.1-linux-amd64', 'etcd');
    install('tmp');
    const env = { HOME: '/root', USE_EXISTING_CLUSTER: 'true', KUBEBUILDER_ASSETS: '/elsewhere' };
    expect(kubernetesVersions({ folder, env })).toEqual([
      { version: 'embedded', env: { HOME: '/root' } },
      { version: '1.9.11', env: { HOME: '/root', KUBEBUILDER_ASSETS: join(folder, 'k8s', '1.9.11-linux-amd64') } },
      { version: '1.36.0', env: { HOME: '/root', KUBEBUILDER_ASSETS: join(folder, 'k8s', '1.36.0-linux-amd64') } },
    ]);
  });

  it.each([
    ['embedded', true],
    ['1.9.11', false],
    ['1.29.4', false],
    ['1.30.0', true],
    ['1.36.0', true],
  ])('compares versions by number, as the example of kubernetesVersions does: %s', (version, expected) => {
    const isNewEnough = ({ version }: { readonly version: string }): boolean =>
      version === 'embedded' || version.localeCompare('1.30.0', 'en', { numeric: true }) >= 0;
    expect(isNewEnough({ version })).toBe(expected);
  });

  it('lists the embedded cluster alone if nothing is installed', () => {
    expect(kubernetesVersions({ folder: join(folder, 'none'), env: {} })).toEqual([{ version: 'embedded', env: {} }]);
  });
});
