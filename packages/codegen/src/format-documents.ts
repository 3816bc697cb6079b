import { formatYaml } from '@kubewright/schema/internal';

/** Formats documents as one YAML file. Each document starts with `---`. */
export function formatYamlDocuments(documents: readonly unknown[]): string {
  return documents.map((document) => `---\n${formatYaml(document)}`).join('');
}
