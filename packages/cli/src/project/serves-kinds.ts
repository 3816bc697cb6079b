import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './find-project.ts';

/** True if the project contains an API server, whose program includes the generated definitions of its kinds. */
export function servesKinds({ root }: Pick<Project, 'root'>): boolean {
  return ['config/apiserver/kinds.json', 'src/apiserver.ts'].some((path) => existsSync(join(root, path)));
}
