import { duplicateField, type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { Container, ContainerRestartRule, PodSpec } from '../generated/drafts.ts';
import { type Check, enumOf, required } from '../validation/check.ts';
import { tooManyField } from '../validation/too-many-field.ts';

const policies = ['Always', 'Never', 'OnFailure'];
const resizedResource = required(enumOf('cpu', 'memory'));
const resizeRestart = required(enumOf('NotRequired', 'RestartContainer'));
const maxRules = 20;
const maxExitCodes = 255;

/** Validates a container's restart policy and its rules by exit code. */
export const restartPolicy: Check<Container> = (container, path) => {
  if (!container) return [];
  const { restartPolicy: policy, restartPolicyRules: rules = [] } = container;
  const at = path.child('restartPolicy');
  const faults: FieldError[] = [];
  if (policy === undefined) {
    if (rules.length === 0) return [];
    faults.push(requiredField(at, 'must specify restartPolicy when restart rules are used'));
  } else faults.push(...enumOf(...policies)(policy, at));
  const list = path.child('restartPolicyRules');
  if (rules.length > maxRules) faults.push(tooManyField(list, { count: rules.length, max: maxRules }));
  return [...faults, ...rules.flatMap((rule, index) => ruleFaults(rule, list.index(index)))];
};

/**
 * Validates the restart policy of an init container. Unlike for other containers, rules without a policy suppress all further
 * errors.
 */
export const initRestartPolicy: Check<Container> = (container, path) => {
  if (container?.restartPolicy !== undefined) return restartPolicy(container, path);
  if ((container?.restartPolicyRules ?? []).length === 0) return [];
  return [requiredField(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')];
};

function ruleFaults({ action, exitCodes }: ContainerRestartRule, path: FieldPath): readonly FieldError[] {
  const faults = [...enumOf('Restart', 'RestartAllContainers')(action, path.child('action'))];
  const at = path.child('exitCodes');
  if (!exitCodes) return [...faults, requiredField(at, 'must be specified')];
  faults.push(...enumOf('In', 'NotIn')(exitCodes.operator, at.child('operator')));
  const count = (exitCodes.values ?? []).length;
  if (count > maxExitCodes) faults.push(tooManyField(at.child('values'), { count, max: maxExitCodes }));
  return faults;
}

/** Validates the resize policy of a container. Upstream reports most errors at the list. */
export function resizePolicy(spec: PodSpec): Check<Container> {
  return (container, path) => {
    const list = path.child('resizePolicy');
    const seen = new Set<string>();
    return (container?.resizePolicy ?? []).flatMap(({ resourceName, restartPolicy: restart }, index) => {
      const faults: FieldError[] = [];
      if (seen.has(resourceName)) faults.push(duplicateField(list.index(index), resourceName));
      seen.add(resourceName);
      faults.push(...resizedResource(resourceName, list));
      faults.push(...resizeRestart(restart, list));
      if (spec.restartPolicy === 'Never' && restart !== 'NotRequired') {
        faults.push(invalidField(list, restart ?? '', "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
      }
      return faults;
    });
  };
}

/** Rejects restarts on resize for init containers that run to completion. */
export const initResizePolicy: Check<Container> = (container, path) => {
  if (container?.restartPolicy === 'Always') return [];
  return (container?.resizePolicy ?? []).flatMap(({ restartPolicy: restart }, index) => {
    if (restart !== 'RestartContainer') return [];
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    return [invalidField(path.child('resizePolicy').index(index).child('restartPolicy'), restart, detail)];
  });
};
