import type { Node } from '@kubewright/apimachinery/core/v1';

/** Returns the deprecated labels that a node lacks, or that differ from the current ones. */
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
