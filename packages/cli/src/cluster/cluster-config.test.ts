import { describe, expect, it } from 'vitest';
import { clusterConfig } from './cluster-config.ts';

const read = (text: string) => clusterConfig(text, '/etc/app/cluster.yaml');

describe('clusterConfig', () => {
  it('reads the settings of cluster up, with paths relative to the file', () => {
    const text = `
name: staging
port: 6443
nodes: 3
driver: simulated
network: isolated
data: ./state
kubeconfig: /tmp/config
components: ['*', '-scheduler']
allowRootPods: true
background: true
`;
    expect(read(text)).toEqual({
      name: 'staging',
      port: 6443,
      nodes: 3,
      driver: 'simulated',
      network: 'isolated',
      data: '/etc/app/state',
      kubeconfig: '/tmp/config',
      components: '*,-scheduler',
      allowRootPods: true,
      background: true,
    });
    expect(read('components: apiserver')).toEqual({ components: 'apiserver' });
    expect(read('# nothing')).toEqual({});
  });

  it.each([
    ['node: 3', 'unknown field node; did you mean nodes?; use only the fields name, background, port, '],
    ['__proto__: 3', 'unknown field __proto__'],
    ['nodes: 0', 'nodes must be a number from 1 to 100, got 0'],
    ['port: "80"', 'port must be a number from 0 to 65535, got "80"'],
    ['driver: docker', 'driver must be process, container or simulated, got "docker"'],
    ['allowRootPods: 1', 'allowRootPods must be true or false, got 1'],
    ['name: ../up', 'name must consist of lower-case letters, digits and dashes, got "../up"; fix the field name'],
    ['components: [1]', 'components must be a list of strings, got [1]'],
    ['- a', 'the file must contain a map of settings'],
    ['a: [', 'invalid YAML: '],
  ])('rejects %j', (text, why) => {
    expect(() => read(text)).toThrow(`cannot use the cluster configuration /etc/app/cluster.yaml: ${why}`);
  });
});
