import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  Quantity,
  unsupportedField,
} from '@kubewright/apimachinery';
import type { Container, PodSpec } from '../generated/drafts.ts';
import type { Check } from '../validation/check.ts';
import { claimReferences } from './resource-claims-validation.ts';
import { requirements, resourceName } from './resources-validation.ts';

/** Validates the name of a pod-level resource. */
function podResourceName(name: string, path: FieldPath): readonly FieldError[] {
  const faults = resourceName(name, path);
  if (faults.length > 0 || name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) return faults;
  return [unsupportedField(path, name, ['cpu', 'hugepages-', 'memory'])];
}

/**
 * Validates pod-level resources: the pod's requests must cover the total of its containers' requests, and no
 * container's limit may exceed the pod's limit.
 */
export const podResources: Check<PodSpec> = (spec, path) => {
  const { resources } = spec ?? {};
  if (!spec || !resources) return [];
  const at = path.child('resources');
  if (spec.os?.name === 'windows') return [forbiddenField(at, 'may not be set for a windows pod')];
  const claims = at.child('claims');
  return [
    ...(resources.claims ? [forbiddenField(claims, 'claims may not be set for Resources at pod-level')] : []),
    ...requirements(resources, { path: at, nameRule: podResourceName }),
    ...claimReferences(spec)(resources.claims ?? undefined, claims),
    ...requestsOfAll(spec, at),
    ...limitsOfEach(spec, at),
  ];
};

function requestsOfAll(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  return [
    ...totalFaults(spec, { list: 'requests', path }),
    ...totalFaults(spec, { list: 'limits', path, only: (name) => name.startsWith('hugepages-') }),
  ];
}

function totalFaults(
  spec: PodSpec,
  options: {
    readonly list: 'requests' | 'limits';
    readonly path: FieldPath;
    readonly only?: (name: string) => boolean;
  },
): readonly FieldError[] {
  const { list, path, only = () => true } = options;
  return Object.entries(spec.resources?.[list] ?? {})
    .filter(([name]) => only(name))
    .flatMap(([name, amount]) => {
      const total = totalOf(spec, { list, name });
      if (total === undefined || total.compare(Quantity.parse(amount)) <= 0) return [];
      const detail = `must be greater than or equal to aggregate container ${list} of ${total.canonical()}`;
      return [invalidField(path.child(list).key(name), amount, detail)];
    });
}

/**
 * Returns the total amount that a pod's containers need. Containers and sidecars run together; other init containers
 * run earlier, together with the sidecars that have started.
 */
function totalOf(
  spec: PodSpec,
  { list, name }: { readonly list: 'requests' | 'limits'; readonly name: string },
): Quantity | undefined {
  const amountOf = ({ resources }: Container): Quantity | undefined => {
    const amount = resources?.[list]?.[name];
    return amount === undefined ? undefined : Quantity.tryParse(amount);
  };
  const sum = (a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined =>
    a && b ? a.add(b) : (a ?? b);
  let sidecars: Quantity | undefined;
  let peak: Quantity | undefined;
  for (const container of spec.initContainers ?? []) {
    const during = sum(sidecars, amountOf(container));
    if (container.restartPolicy === 'Always') sidecars = during;
    if (during && (!peak || during.compare(peak) > 0)) peak = during;
  }
  const together = (spec.containers ?? []).map(amountOf).reduce(sum, sidecars);
  return peak && (!together || peak.compare(together) > 0) ? peak : together;
}

function limitsOfEach(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  return (spec.containers ?? []).flatMap(({ resources }, index) =>
    Object.entries(resources?.limits ?? {}).flatMap(([name, amount]) => {
      const max = spec.resources?.limits?.[name];
      const [own, limit] = [Quantity.tryParse(amount), Quantity.tryParse(max)];
      if (!own || !limit || own.compare(limit) <= 0) return [];
      const at = path.child('containers').index(index).key(name).child('limits');
      return [invalidField(at, amount, `must be less than or equal to pod limits of ${max}`)];
    }),
  );
}
