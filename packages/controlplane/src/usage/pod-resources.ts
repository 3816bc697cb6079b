import type { Container, PodSpec } from '@kubewright/apimachinery/core/v1';
import { addAmounts, amountsOf, maxAmounts, type ResourceAmounts } from './resource-amounts.ts';

type Part = 'requests' | 'limits';

/**
 * Returns the requests or limits of a pod: the sum of its containers or the highest amount needed during startup,
 * whichever is larger, plus the overhead of its runtime class. Mirrors `PodRequests` and `PodLimits` of
 * k8s.io/component-helpers (1.36).
 */
export function podResources(spec: PodSpec, part: Part): ResourceAmounts {
  const of = ({ resources }: Pick<Container, 'resources'>): ResourceAmounts => amountsOf(resources?.[part]);
  let total = spec.containers.map(of).reduce(addAmounts, {});
  let sidecars: ResourceAmounts = {};
  let largestStep: ResourceAmounts = {};
  for (const container of spec.initContainers ?? []) {
    let step = of(container);
    if (container.restartPolicy === 'Always') {
      total = addAmounts(total, step);
      sidecars = addAmounts(sidecars, step);
      step = sidecars;
    } else {
      step = addAmounts(step, sidecars);
    }
    largestStep = maxAmounts(largestStep, step);
  }
  total = { ...maxAmounts(total, largestStep), ...podLevel(spec, part) };
  return withOverhead(total, spec, part);
}

function withOverhead(total: ResourceAmounts, spec: PodSpec, part: Part): ResourceAmounts {
  const overhead = amountsOf(spec.overhead);
  if (part === 'requests') return addAmounts(total, overhead);
  // Overhead adds to existing limits only: a resource without a limit stays unlimited.
  const limited = Object.entries(overhead).filter(([name]) => total[name] !== undefined && !total[name].isZero);
  return addAmounts(total, Object.fromEntries(limited));
}

/** Returns the pod-level amounts, which take precedence over the amounts of the containers. */
function podLevel({ resources }: PodSpec, part: Part): ResourceAmounts {
  const shared = Object.entries(amountsOf(resources?.[part])).filter(
    ([name]) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-'),
  );
  return Object.fromEntries(shared);
}
