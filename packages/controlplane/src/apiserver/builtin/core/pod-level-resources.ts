import type { PodSpec } from '../generated/drafts.ts';

/** Resources that may be given for a pod as a whole. */
const SUPPORTED = /^(cpu|memory|hugepages-.+)$/;

/** Pod-level limits without pod-level requests: the requests become the limits. */
export function defaultPodLevelResources(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources?.limits) return;
  const supported = Object.entries(resources.limits).filter(([name]) => SUPPORTED.test(name));
  const requests = { ...Object.fromEntries(supported), ...resources.requests };
  if (Object.keys(requests).length > 0) resources.requests = requests;
}
