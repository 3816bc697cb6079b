import type { Job } from '../generated/drafts.ts';

const nameLabels = ['job-name', 'batch.kubernetes.io/job-name'];
const controllerUid = 'batch.kubernetes.io/controller-uid';
const uidLabels = ['controller-uid', controllerUid];

/** Labels a job's pods with the job's name and UID and selects them by UID, unless the job sets its own selector. */
export function generateJobSelector({ metadata, spec }: Job): void {
  if (spec.manualSelector) return;
  // A job without labels gets the labels of its template by default, including the generated labels.
  const isDefaulted =
    metadata.labels === spec.template.metadata.labels || Object.keys(metadata.labels ?? {}).length === 0;
  const labels = { ...spec.template.metadata.labels };
  // Keep labels that the user set: validation rejects conflicting labels.
  for (const label of nameLabels) labels[label] ??= metadata.name ?? '';
  for (const label of uidLabels) labels[label] ??= metadata.uid ?? '';
  spec.template.metadata.labels = labels;
  if (isDefaulted) metadata.labels = { ...labels };
  spec.selector = {
    ...spec.selector,
    matchLabels: { [controllerUid]: metadata.uid ?? '', ...spec.selector?.matchLabels },
  };
}
