import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { Project } from '../project/find-project.ts';

/** The finalizers of an object that are a project's own: their names begin with its domain, or with a group below it. */
export function ownFinalizers(
  { metadata }: UnstructuredObject,
  { domain }: Pick<Project, 'domain'>,
): readonly string[] {
  return (metadata?.finalizers ?? []).filter((name) => {
    const [prefix = ''] = name.split('/');
    return prefix === domain || prefix.endsWith(`.${domain}`);
  });
}
