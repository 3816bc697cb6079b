import { chown, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramContext } from '../instance/server/run-program.ts';
import { readTar } from './tar-reader.ts';

/** Extracts a tar archive into an existing folder. */
export async function extractTar(
  content: AsyncIterable<Buffer>,
  { name, folder, owner }: { readonly name: string; readonly folder: string; readonly owner?: ProgramContext['user'] },
): Promise<void> {
  for await (const { path, type, mode, content: bytes } of readTar(content, name)) {
    const target = join(folder, path);
    if (type === 'folder') await mkdir(target, { recursive: true, mode: 0o700 });
    else {
      const file = await open(target, 'w', mode);
      try {
        for await (const chunk of bytes) await file.writeFile(chunk);
      } finally {
        await file.close();
      }
    }
    if (owner) await chown(target, owner.uid, owner.gid);
  }
}
