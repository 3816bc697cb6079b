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
import { isValidSelector, labelSelector, labels, selects } from './rules.ts';
import { sortedKeys } from './sorted-keys.ts';
import { annotations } from './template-metadata.ts';

/** A workload's requirements on its template. */
export interface TemplateDemands {
  readonly path: FieldPath;
  /** The workload's selector, which must match the template; absent if none is required. */
  readonly selector?: LabelSelector | undefined;
  /** @defaultValue `['Always']` */
  readonly restartPolicies?: readonly string[];
  /** The workload's name in messages. @defaultValue 'ReplicaSet' */
  readonly workload?: string;
}

/** Validates a workload's template: labels, containers, and that the workload selects its own pods. */
export function templateFaults(template: PodTemplateSpec | undefined, demands: TemplateDemands): readonly FieldError[] {
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

/** Validates the template of a workload that upstream skips if the selector cannot be used. */
export function selectedTemplateFaults(
  template: PodTemplateSpec | undefined,
  demands: TemplateDemands,
): readonly FieldError[] {
  const { selector } = demands;
  return selector && !isValidSelector(selector) ? [] : templateFaults(template, demands);
}

/** Validates a workload's selector: present, not empty, and well-formed. */
export function selectorFaults(
  selector: LabelSelector | null | undefined,
  options: {
    readonly path: FieldPath;
    readonly workload: string;
    /** The message for selectors that cannot be used; undefined if upstream reports only their parts. */
    readonly unusable?: string | undefined;
  },
): readonly FieldError[] {
  const { path, workload, unusable } = options;
  if (!selector) return [requiredField(path)];
  const faults: FieldError[] = [...labelSelector(selector, path)];
  if (isEmpty(selector.matchLabels) && isEmpty(selector.matchExpressions)) {
    faults.push(invalidField(path, selector, `empty selector is invalid for ${workload}`));
  }
  if (unusable !== undefined && !isValidSelector(selector)) faults.push(invalidField(path, selector, unusable));
  return faults;
}
