import type { Job } from '../generated/drafts.ts';

const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const UID_LABELS = ['controller-uid', CONTROLLER_UID];

/** Labels a job's pods with its name and UID and selects them by the UID, unless the job has its own selector. */
export function generateJobSelector({ metadata, spec }: Job): void {
  if (spec.manualSelector) return;
  // A job without labels gets those of its template, including the generated ones.
  const shared = JSON.stringify(metadata.labels) === JSON.stringify(spec.template.metadata.labels);
  const labels = { ...spec.template.metadata.labels };
  // Labels set by the user are kept; validation rejects conflicting ones.
  for (const label of NAME_LABELS) labels[label] ??= metadata.name ?? '';
  for (const label of UID_LABELS) labels[label] ??= metadata.uid ?? '';
  spec.template.metadata.labels = labels;
  if (shared) metadata.labels = { ...labels };
  spec.selector = {
    ...spec.selector,
    matchLabels: { [CONTROLLER_UID]: metadata.uid ?? '', ...spec.selector?.matchLabels },
  };
}
