import { baselineChecks } from './baseline-checks.ts';
import { restrictedChecks } from './restricted-checks.ts';
import type { CheckedPod, SecurityCheck, Violation } from './security-check.ts';
import type { LevelVersion } from './security-policy.ts';

/** The last minor version that changed a check. Later versions, and `latest`, are evaluated like this version. */
const lastMinor = 35;

/**
 * Returns the violations of a level by a pod, starting with violations of baseline checks. Mirrors
 * `k8s.io/pod-security-admission` 0.36.
 */
export function evaluatePod(pod: CheckedPod, { level, minor }: LevelVersion): readonly Violation[] {
  if (level === 'privileged') return [];
  const version = Math.min(minor, lastMinor);
  const restricted = level === 'restricted' ? restrictedChecks.filter((check) => checkOf(check, version)) : [];
  const replaced = new Set(restricted.flatMap(({ replaces = [] }) => replaces));
  const checks = [...baselineChecks.filter(({ id }) => !replaced.has(id)), ...restricted];
  return checks.flatMap((check) => checkOf(check, version)?.(pod) ?? []);
}

/** Formats the violations of one pod: `privileged (container "a" …), hostPort (…)`. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}

function checkOf({ versions }: SecurityCheck, minor: number): SecurityCheck['versions'][number]['check'] | undefined {
  return versions.findLast(({ sinceMinor }) => sinceMinor <= minor)?.check;
}
