import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns true if a program with this name is on the PATH. */
export function hasProgram(
  name: string,
  { path, platform }: { readonly path: string | undefined; readonly platform: NodeJS.Platform },
): boolean {
  const file = platform === 'win32' ? `${name}.exe` : name;
  return (path ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, file), constants.X_OK);
      return true;
    } catch {
      // Not in this folder.
      return false;
    }
  });
}
