import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLine } from './command-line.ts';

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    verbs: [create]
    resources: [{ group: "", resources: [configmaps] }]
    userGroups: ["system:masters"]
`;

let kubewright: CommandLine;
beforeAll(async () => {
  kubewright = await CommandLine.build();
});
afterAll(() => kubewright?.[Symbol.dispose]());

it('writes an audit log according to a policy', { timeout: 60_000 }, async () => {
  const cwd = join(kubewright.folder, 'audited');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'policy.yaml'), policy);
  const up = (...args: readonly string[]) =>
    kubewright.run(['cluster', 'up', '--background', '--json', '--components', 'apiserver', ...args], { cwd });
  writeFileSync(join(cwd, 'invalid.yaml'), policy.replace('Metadata', 'Everything'));
  const invalid = await up('--audit-policy-file', 'invalid.yaml');
  expect(invalid.stdout).toContain('rules[0].level: must be one of None, Metadata, Request, RequestResponse');
  try {
    const { cluster } = JSON.parse((await up('--audit-policy-file', 'policy.yaml')).stdout);
    await using client = clientFromConfig(await loadClientConfig({ kubeconfig: cluster.kubeconfig }));
    const metadata = { namespace: 'default', name: 'noted' };
    await client.resource(ConfigMap).create(ConfigMap({ metadata }));
    await client.resource(ConfigMap).delete(metadata);
  } finally {
    await kubewright.run(['cluster', 'down'], { cwd });
  }
  const log = join(cwd, '.kubewright', 'audit.log');
  const events = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(
    events.map(({ verb, objectRef, responseStatus }) => [verb, objectRef.name, responseStatus.code]),
  ).toContainEqual(['create', 'noted', 201]);
  expect(events.every(({ verb, stage }) => verb === 'create' && stage === 'ResponseComplete')).toBe(true);
  expect(statSync(log).mode & 0o077).toBe(0);
});
