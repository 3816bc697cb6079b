import type { PodSpec } from '../generated/drafts.ts';

/** Resources that may be set for a whole pod. */
const SUPPORTED = /^(cpu|memory|hugepages-.+)$/;

/** Fills in missing pod-level requests from the pod-level limits. */
export function defaultPodLevelResources(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources?.limits) return;
  const supported = Object.entries(resources.limits).filter(([name]) => SUPPORTED.test(name));
  const requests = { ...Object.fromEntries(supported), ...resources.requests };
  if (Object.keys(requests).length > 0) resources.requests = requests;
}
