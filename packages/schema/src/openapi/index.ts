export type { DocumentedResource } from './documented-resource.ts';
export { type DocumentParts, documentParts, groupVersionDocument } from './group-version-document.ts';
