import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** True if kubectl is on the PATH. */
export function hasKubectl(path: string | undefined, platform: NodeJS.Platform): boolean {
  const program = platform === 'win32' ? 'kubectl.exe' : 'kubectl';
  return (path ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      // Not there; the next folder may have it.
      return false;
    }
  });
}
