import { formatYaml } from '@kubewright/schema';

/** Formats several documents, each with its `---`. */
export function formatYamlDocuments(documents: readonly unknown[]): string {
  return documents.map((document) => `---\n${formatYaml(document)}`).join('');
}
