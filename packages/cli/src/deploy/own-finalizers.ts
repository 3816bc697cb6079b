import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { Project } from '../project/find-project.ts';

/** Returns the project's own finalizers on an object: their names start with its domain or one of its subdomains. */
export function ownFinalizers(
  { metadata }: UnstructuredObject,
  { domain }: Pick<Project, 'domain'>,
): readonly string[] {
  return (metadata?.finalizers ?? []).filter((name) => {
    const [prefix = ''] = name.split('/');
    return prefix === domain || prefix.endsWith(`.${domain}`);
  });
}
