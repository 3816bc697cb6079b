import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluatePod, formatViolations } from './evaluate-pod.ts';
import { formatLevel, modeLabel, policyOf, privilegedPolicy } from './security-policy.ts';
import { securityPods } from './testdata/pods.mjs';

interface Decision {
  readonly status: number;
  readonly message?: string;
}

const decisions = readFileSync(new URL('testdata/decisions-1.36.3.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Decision);

describe('evaluatePod, compared with kube-apiserver 1.36.3', () => {
  it.each(securityPods.map((pod, index) => ({ ...pod, index, text: JSON.stringify(pod).slice(0, 160) })))(
    '$index: $text',
    ({ level, version, metadata, spec, index }) => {
      const labels = { [modeLabel('enforce')]: level, ...(version && { [modeLabel('enforce', '-version')]: version }) };
      const { enforce } = policyOf(labels, privilegedPolicy).policy;
      const violations = evaluatePod({ ...(metadata && { metadata }), spec }, enforce);
      const { status, message } = decisions[index] as Decision;
      const ours = `pods "p" is forbidden: violates PodSecurity "${formatLevel(enforce)}": ${formatViolations(violations)}`;
      expect(violations.length === 0 ? undefined : ours).toBe(status === 403 ? message : undefined);
    },
  );
});
