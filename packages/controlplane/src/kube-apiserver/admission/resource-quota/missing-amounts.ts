import type { Pod } from '@kubewright/apimachinery/core/v1';

/**
 * Amounts that every container must set if a quota limits them. Other amounts are optional: a container without one is not charged.
 */
const required = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/**
 * Returns the reason if containers of a pod do not set a limited amount: `must specify cpu for: web`; otherwise
 * undefined.
 */
export function missingAmounts({ spec }: Pod, names: readonly string[]): string | undefined {
  const isPodLevel = Object.keys({ ...spec?.resources?.requests, ...spec?.resources?.limits }).length > 0;
  if (!spec || isPodLevel) return undefined;
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const missing = names
    .filter((name) => required.has(name))
    .toSorted()
    .flatMap((name) => {
      const without = containers.filter(({ resources = {} }) => {
        const [part, amount] = name.includes('.') ? name.split('.') : ['requests', name];
        return resources[part as 'requests' | 'limits']?.[amount ?? ''] === undefined;
      });
      if (without.length === 0) return [];
      return [`${name} for: ${[...new Set(without.map((container) => container.name))].toSorted().join(',')}`];
    });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}
