import { Buffer } from 'node:buffer';

import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from '@kubewright/apimachinery/core/v1';
import type { AdmissionAttributes, AdmissionPlugin, Draft, Storage } from '@kubewright/apiserver';
import { storagePrefix } from '@kubewright/apiserver/internal';
import { podResources } from '../../usage/pod-resources.ts';
import { amountsOf, type ResourceAmounts } from '../../usage/resource-amounts.ts';
import { handles } from './handles.ts';
import {
  maxConstraint,
  maxRequestConstraint,
  minConstraint,
  ratioConstraint,
  type Subject,
} from './limit-constraints.ts';

import { rejection } from './rejection.ts';

const prefix = storagePrefix({ group: '', resource: 'limitranges' });
const annotation = 'kubernetes.io/limit-ranger';

/**
 * Applies the namespace's default requests and limits to containers, and rejects pods and claims outside its limits (`LimitRanger`,
 * 1.36).
 */
export function limitRanger(storage: Storage): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    handles: handles('', 'pods', 'persistentvolumeclaims'),
    async mutate(attributes) {
      const { object, definition } = attributes;
      if (!object || definition.resource !== 'pods' || !isLimited(attributes)) return;
      for (const range of await limitRangesOf(attributes.namespace, storage)) setDefaults(object, range);
    },
    async validate(attributes) {
      const { object } = attributes;
      if (!object || !isLimited(attributes)) return;
      for (const range of await limitRangesOf(attributes.namespace, storage)) {
        const faults = (range.spec?.limits ?? []).flatMap((limit) => faultsOf(limit, object));
        if (faults.length === 0) continue;
        const text = faults.length === 1 ? `${faults[0]}` : `[${faults.join(', ')}]`;
        throw rejection(attributes, text);
      }
    },
  };
}

/** True for writes that can change limited amounts. For an existing pod, only a resize can. */
function isLimited({ operation, definition, subresource, oldObject }: AdmissionAttributes): boolean {
  if (oldObject?.metadata.deletionTimestamp !== undefined) return false;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
  if (definition.resource === 'persistentvolumeclaims') return subresource === '';
  return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
}

async function limitRangesOf(namespace: string, storage: Storage): Promise<readonly LimitRange[]> {
  const { objects } = await storage.list({ prefix: `${prefix}${namespace}/` });
  // The server stores only LimitRanges under this prefix.
  return objects.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString('utf8')) as LimitRange);
}

type Mutable = { resources?: { requests?: Record<string, string>; limits?: Record<string, string> }; name: string };

function setDefaults(pod: Draft, { spec }: LimitRange): void {
  const limits = (spec?.limits ?? []).filter(({ type }) => type === 'Container');
  const defaults = {
    request: Object.assign({}, ...limits.map(({ defaultRequest }) => defaultRequest)) as Record<string, string>,
    limit: Object.assign({}, ...limits.map((limit) => limit.default)) as Record<string, string>,
  };
  // The object has been decoded as a pod but not validated yet, so lists may be null.
  const { containers, initContainers } = (pod['spec'] ?? {}) as {
    readonly containers?: readonly Mutable[] | null;
    readonly initContainers?: readonly Mutable[] | null;
  };
  const notes = [
    ...(containers ?? []).flatMap((container) => fill(container, 'container', defaults)),
    ...(initContainers ?? []).flatMap((container) => fill(container, 'init container', defaults)),
  ];
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
}

/** Adds the defaults that a container lacks. Returns notes for the pod's annotation. */
function fill(
  container: Mutable,
  what: string,
  defaults: { readonly request: Readonly<Record<string, string>>; readonly limit: Readonly<Record<string, string>> },
): readonly string[] {
  container.resources ??= {};
  const { resources } = container;
  return (['request', 'limit'] as const).flatMap((part) => {
    const amounts = resources[`${part}s`] ?? {};
    const missing = Object.keys(defaults[part]).filter((name) => amounts[name] === undefined);
    if (missing.length === 0) return [];
    for (const name of missing) amounts[name] = defaults[part][name] ?? '';
    resources[`${part}s`] = amounts;
    return [`${missing.sort().join(', ')} ${part} for ${what} ${container.name}`];
  });
}

function faultsOf(limit: LimitRangeItem, object: Draft): readonly string[] {
  if (limit.type === 'PersistentVolumeClaim') return claimFaults(limit, object as unknown as PersistentVolumeClaim);
  const { spec } = object as unknown as Pod;
  if (!spec?.containers) return [];
  if (limit.type === 'Container')
    return [...spec.containers, ...(spec.initContainers ?? [])].flatMap((container) =>
      allFaults(limit, { ...amountsOfContainer(container), type: 'Container' }),
    );
  if (limit.type !== 'Pod') return [];
  const { overhead: _ignored, ...counted } = spec;
  const requests = podResources(counted, 'requests');
  return allFaults(limit, { requests, limits: podResources(counted, 'limits'), type: 'Pod' });
}

function amountsOfContainer({ resources }: Container): {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
} {
  return { requests: amountsOf(resources?.requests), limits: amountsOf(resources?.limits) };
}

function allFaults({ min, max, maxLimitRequestRatio }: LimitRangeItem, subject: Subject): readonly string[] {
  return [
    ...check(min, subject, minConstraint),
    ...check(max, subject, maxConstraint),
    ...check(maxLimitRequestRatio, subject, ratioConstraint),
  ];
}

function claimFaults({ min, max }: LimitRangeItem, { kind, spec }: PersistentVolumeClaim): readonly string[] {
  if (kind !== 'PersistentVolumeClaim') return [];
  const requests = amountsOf(spec?.resources?.requests);
  const subject: Subject = { requests, limits: {}, type: 'PersistentVolumeClaim' };
  return [...check(min, subject, minConstraint), ...check(max, subject, maxRequestConstraint)];
}

function check(
  enforced: Readonly<Record<string, string>> | undefined,
  subject: Subject,
  constraint: typeof minConstraint,
): readonly string[] {
  return Object.entries(amountsOf(enforced)).flatMap(
    ([resource, amount]) => constraint({ ...subject, resource, enforced: amount }) ?? [],
  );
}
