import type { FieldPath } from '@kubewright/apimachinery';
import type { PodTemplateSpec } from '../generated/drafts.ts';
import { podSpecWarnings } from './pod-warnings.ts';

/** Returns a function that warns about a workload's template, on creation and whenever the spec has changed. */
export function templateWarnings<T extends { metadata: { generation?: number | undefined } }>(
  templateOf: (workload: T) => PodTemplateSpec | undefined,
  path: FieldPath,
): (workload: T, old: T | undefined) => readonly string[] {
  return (workload, old) => {
    const template = templateOf(workload);
    if (!template || (old && old.metadata.generation === workload.metadata.generation)) return [];
    return podSpecWarnings(template.spec, path.child('spec'));
  };
}
