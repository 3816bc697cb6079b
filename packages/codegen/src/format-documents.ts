import { formatYaml } from '@kubewright/schema/internal';

/** Formats several documents, each with its `---`. */
export function formatYamlDocuments(documents: readonly unknown[]): string {
  return documents.map((document) => `---\n${formatYaml(document)}`).join('');
}
