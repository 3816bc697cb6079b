export type { DocumentedResource } from './documented-resource.ts';
export { type DocumentParts, documentParts, groupVersionDocument, type OpenApiInfo } from './group-version-document.ts';
