import type { Node } from '@kubewright/apimachinery/core/v1';

/**
 * Returns the deprecated labels to set on a node: those that are missing or differ from the labels that replaced them.
 * Returns undefined if all are correct.
 */
export function missingLabels({ metadata }: Node): Readonly<Record<string, string>> | undefined {
  const missing: Record<string, string> = {};
  for (const name of ['os', 'arch']) {
    const value = metadata.labels?.[`kubernetes.io/${name}`];
    if (value !== undefined && metadata.labels?.[`beta.kubernetes.io/${name}`] !== value) {
      missing[`beta.kubernetes.io/${name}`] = value;
    }
  }
  return Object.keys(missing).length > 0 ? missing : undefined;
}
