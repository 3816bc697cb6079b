import { type FieldError, invalid, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import type { Draft, Strategy } from '@kubewright/apiserver';
import type { StrategyContext } from '@kubewright/apiserver/internal';
import { describe, expect, it } from 'vitest';
import { builtinDefinitions } from './builtin-definitions.ts';
import type { ConfigMap, Deployment, Pod, RoleBinding, Secret, StatefulSet } from './generated/drafts.ts';

const clock = new VirtualClock();
const random = seededRandom(1);
const definitions = builtinDefinitions({ clock, random });
const context: StrategyContext = {
  user: { username: 'admin', groups: [] },
  clock,
  random,
  dryRun: false,
  warn: () => {},
};

function strategyOf(resource: string, subresource?: string): Strategy {
  const definition = definitions.find((candidate) => candidate.resource === resource);
  const behavior = subresource === undefined ? undefined : definition?.subresources.get(subresource)?.behavior;
  const strategy =
    subresource === undefined ? definition?.strategy : behavior?.type === 'status' ? behavior.strategy : undefined;
  if (!strategy) throw new Error(`${resource}/${subresource ?? ''} has no strategy`);
  return strategy;
}

function stored(resource: string, object: object): KubernetesObject {
  const draft = {
    metadata: { name: 'x', namespace: 'default', uid: 'uid-1' },
    ...structuredClone(object),
  } as unknown as Draft;
  const strategy = strategyOf(resource);
  strategy.applyDefaults?.(draft);
  strategy.prepareForCreate?.(draft, context);
  draft.metadata.resourceVersion = '1';
  return draft as unknown as KubernetesObject;
}

/** Changes a copy of the stored object through the main resource or a subresource. Returns the copy and the errors. */
function change<T>(
  resource: string,
  old: KubernetesObject,
  options: { readonly subresource?: string; readonly edit: (draft: T) => void },
): { readonly object: T; readonly faults: string } {
  const draft = structuredClone(old) as unknown as Draft;
  options.edit(draft as unknown as T);
  const strategy = strategyOf(resource, options.subresource);
  strategy.applyDefaults?.(draft);
  strategy.prepareForUpdate?.(draft, old, context);
  const faults = strategy.validateUpdate?.(draft as unknown as KubernetesObject, old, context) ?? [];
  return { object: draft as unknown as T, faults: faults.length === 0 ? '' : textOf(faults) };
}

function textOf(faults: readonly FieldError[]): string {
  return invalid({ group: '', kind: 'Object' }, 'x', faults).message.replace('Object "x" is invalid: ', '');
}

const containers = [{ name: 'a', image: 'a' }];
const pod = stored('pods', { apiVersion: 'v1', kind: 'Pod', spec: { containers } });
const template = { metadata: { labels: { app: 'a' } }, spec: { containers } };

describe('pods', () => {
  it('allows image changes and rejects other changes to the spec', () => {
    const image = change('pods', pod, { edit: (p: Pod) => (p.spec.containers![0]!.image = 'b') });
    expect(image.faults).toBe('');
    const node = change('pods', pod, { edit: (p: Pod) => (p.spec.hostname = 'h') });
    expect(node.faults).toMatch(
      /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,/,
    );
    expect(node.faults).toContain('spec.hostname');
    const added = change('pods', pod, {
      edit: (p: Pod) => p.spec.containers?.push({ name: 'b', image: 'b', resources: {} }),
    });
    expect(added.faults).toBe('spec.containers: Forbidden: pod updates may not add or remove containers');
  });

  it('keeps the status in main resource updates, and everything else in status updates', () => {
    const edit = (p: Pod): void => {
      p.status.phase = 'Running';
      p.spec.hostname = 'h';
    };
    expect(change('pods', pod, { edit }).object.status.phase).toBe('Pending');
    const updated = change('pods', pod, { subresource: 'status', edit });
    expect(updated.object.status).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' });
    expect(updated.object.spec).toEqual((pod as unknown as Pod).spec);
  });

  it('changes only ephemeral containers through the ephemeralcontainers subresource', () => {
    const edit = (p: Pod): void => {
      p.spec.hostname = 'h';
      p.metadata.labels = { a: 'b' };
      p.spec.ephemeralContainers = [{ name: 'e', image: 'e', resources: {} }];
    };
    const { object, faults } = change('pods', pod, { subresource: 'ephemeralcontainers', edit });
    expect(faults).toBe('');
    expect(object.spec.ephemeralContainers).toHaveLength(1);
    expect(object.spec.hostname).toBeUndefined();
    expect(object.metadata.labels).toBeUndefined();
  });

  it('changes only resources through the resize subresource', () => {
    const edit = (p: Pod): void => {
      p.spec.containers![0]!.resources = { requests: { cpu: '1' } };
      p.spec.containers![0]!.image = 'b';
    };
    const { object } = change('pods', pod, { subresource: 'resize', edit });
    expect(object.spec.containers![0]).toMatchObject({ image: 'a', resources: { requests: { cpu: '1' } } });
  });

  it('uses the grace period that the kind allows', () => {
    const { gracefulSeconds } = strategyOf('pods');
    const bound = structuredClone(pod) as unknown as Pod;
    bound.spec.nodeName = 'n';
    expect(gracefulSeconds?.(pod, 30)).toBe(0);
    expect(gracefulSeconds?.(bound as unknown as KubernetesObject, undefined)).toBe(30);
    expect(gracefulSeconds?.(bound as unknown as KubernetesObject, 5)).toBe(5);
    expect(gracefulSeconds?.(bound as unknown as KubernetesObject, -3)).toBe(1);
    bound.status.phase = 'Succeeded';
    expect(gracefulSeconds?.(bound as unknown as KubernetesObject, undefined)).toBe(0);
  });
});

describe('workloads', () => {
  const deployment = stored('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x', generation: 1 },
    spec: { selector: { matchLabels: { app: 'a' } }, template },
  });

  it('rejects a changed selector', () => {
    const edit = (d: Deployment): void => {
      d.spec.selector = { matchLabels: { app: 'b' } };
      d.spec.template.metadata.labels = { app: 'b' };
    };
    expect(change('deployments', deployment, { edit }).faults).toBe(
      'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
    );
  });

  it("increments a Deployment's generation when its annotations change", () => {
    const { object } = change('deployments', deployment, {
      edit: (d: Deployment) => (d.metadata.annotations = { a: 'b' }),
    });
    expect(object.metadata.generation).toBe(2);
  });

  it('rejects most changes to a StatefulSet', () => {
    const set = stored('statefulsets', {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      spec: { serviceName: 's', selector: { matchLabels: { app: 'a' } }, template },
    });
    expect(change('statefulsets', set, { edit: (s: StatefulSet) => (s.spec.replicas = 3) }).faults).toBe('');
    expect(change('statefulsets', set, { edit: (s: StatefulSet) => (s.spec.serviceName = 't') }).faults).toBe(
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
  });
});

describe('configuration', () => {
  it('rejects changes to objects that are marked immutable', () => {
    const map = stored('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' }, immutable: true });
    const edit = (m: ConfigMap): void => {
      m.data = { a: 'c' };
      delete m.immutable;
    };
    expect(change('configmaps', map, { edit }).faults).toBe(
      '[immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set]',
    );
  });

  it("rejects changes to a Secret's type and a binding's role", () => {
    const secret = stored('secrets', { apiVersion: 'v1', kind: 'Secret' });
    expect(change('secrets', secret, { edit: (s: Secret) => (s.type = 'x/y') }).faults).toBe(
      'type: Invalid value: "x/y": field is immutable',
    );
    const binding = stored('rolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      roleRef: { kind: 'Role', name: 'r' },
    });
    expect(change('rolebindings', binding, { edit: (b: RoleBinding) => (b.roleRef.name = 's') }).faults).toMatch(
      /^roleRef: Invalid value: .*: cannot change roleRef$/,
    );
  });

  it('accepts loopback endpoints only if allowed', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Endpoints',
      subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 80 }] }],
    };
    const open = builtinDefinitions({ clock, random, allowLoopbackEndpoints: true }).find(
      ({ resource }) => resource === 'endpoints',
    );
    const endpoints = stored('endpoints', object);
    expect(open?.strategy.validate?.(endpoints, context)).toEqual([]);
    expect(strategyOf('endpoints').validate?.(endpoints, context)).toHaveLength(1);
  });
});

describe('warnings', () => {
  it('covers hidden variables and invalid host names', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    const odd = stored('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a.b' },
      spec: { containers: [{ name: 'a', image: 'a', env }] },
    });
    expect(strategyOf('pods').warnings?.(odd, undefined)).toEqual([
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ]);
  });
});
