import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import { podSpec } from '../core/pod-spec-validation.ts';
import type { LabelSelector, PodTemplateSpec } from '../generated/drafts.ts';
import { isEmpty } from './check.ts';
import { isValidSelector, labelSelector, labels, selects, shownSelector } from './rules.ts';
import { sortedKeys } from './sorted-keys.ts';
import { annotations } from './template-metadata.ts';

/** A workload's requirements for its pod template. */
export interface TemplateRequirements {
  readonly path: FieldPath;
  /** The workload's selector, which must match the template's labels. Absent if the workload needs none. */
  readonly selector?: LabelSelector | undefined;
  /** @defaultValue `['Always']` */
  readonly restartPolicies?: readonly string[];
  /** The workload's kind, for errors. @defaultValue 'ReplicaSet' */
  readonly workload?: string;
}

/** Validates a workload's pod template: its labels and containers, and that the selector matches it. */
export function templateFaults(
  template: PodTemplateSpec | undefined,
  demands: TemplateRequirements,
): readonly FieldError[] {
  if (!template) return [];
  const { path, selector, restartPolicies = ['Always'], workload = 'ReplicaSet' } = demands;
  const faults: FieldError[] = [];
  const given = template.metadata.labels;
  if (selector && !isEmpty(selector) && selects(selector, given ?? {}) === false) {
    faults.push(
      invalidField(
        path.child('metadata', 'labels'),
        given ? sortedKeys(given) : null,
        '`selector` does not match template `labels`',
      ),
    );
  }
  faults.push(
    ...labels(given, path.child('labels')),
    ...annotations(template.metadata.annotations, path.child('annotations')),
  );
  faults.push(...podSpec(template.spec, { path: path.child('spec'), isTemplate: true }));
  if ((template.spec.ephemeralContainers ?? []).length > 0) {
    const at = path.child('spec', 'ephemeralContainers');
    faults.push(forbiddenField(at, 'ephemeral containers not allowed in pod template'));
  }
  const policy = template.spec.restartPolicy ?? '';
  if (restartPolicies.length === 1 && !restartPolicies.includes(policy)) {
    faults.push(unsupportedField(path.child('spec', 'restartPolicy'), policy, restartPolicies));
  }
  if (restartPolicies.length === 1 && template.spec.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${workload} is not Supported`;
    faults.push(forbiddenField(path.child('spec', 'activeDeadlineSeconds'), detail));
  }
  return faults;
}

/** Validates a workload's pod template, but only if the selector is valid: otherwise upstream skips this check. */
export function selectedTemplateFaults(
  template: PodTemplateSpec | undefined,
  demands: TemplateRequirements,
): readonly FieldError[] {
  const { selector } = demands;
  return selector && !isValidSelector(selector) ? [] : templateFaults(template, demands);
}

/** Validates a workload's selector, which must be present, non-empty and valid. */
export function selectorFaults(
  selector: LabelSelector | null | undefined,
  options: {
    readonly path: FieldPath;
    readonly workload: string;
    /** The additional error for an invalid selector; undefined if upstream reports only its parts. */
    readonly unusable?: string | undefined;
  },
): readonly FieldError[] {
  const { path, workload, unusable } = options;
  if (!selector) return [requiredField(path)];
  const faults: FieldError[] = [...labelSelector(selector, path)];
  if (isEmpty(selector.matchLabels) && isEmpty(selector.matchExpressions)) {
    faults.push(invalidField(path, shownSelector(selector), `empty selector is invalid for ${workload}`));
  }
  if (unusable !== undefined && !isValidSelector(selector))
    faults.push(invalidField(path, shownSelector(selector), unusable));
  return faults;
}
