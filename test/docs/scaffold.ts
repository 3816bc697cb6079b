import { projectFiles } from '../../packages/cli/src/templates/project-files.ts';

type Names = Parameters<typeof projectFiles>[0];

/** Returns a file of a new project. */
export function scaffolded(path: string): string {
  // Other project options have defaults.
  const files = projectFiles({ name: 'any', domain: 'example.com', certificates: 'own' } as Names);
  const found = files.find((each) => each.path === path);
  if (!found) throw new Error(`a new project has no ${path}`);
  return found.text;
}
