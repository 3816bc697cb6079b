export { StrategicMergeError } from './strategic-merge-error.ts';
export { strategicMergePatch } from './strategic-merge-patch.ts';
