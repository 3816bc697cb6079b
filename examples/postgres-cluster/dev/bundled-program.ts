import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Modules of this example, bundled into one program that runs on any supported version of Node.js. */
export interface BundledProgram extends Disposable {
  readonly path: string;
}

/**
 * Bundles a program.
 *
 * @param code - the program's source. It can import modules of this example, such as `#src/archive/wal-program.ts`
 */
export async function bundledProgram(code: string): Promise<BundledProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-cluster-'));
  // The program may run as another user, who needs read access.
  chmodSync(folder, 0o755);
  const source = fileURLToPath(new URL('../src/', import.meta.url));
  const entry = join(folder, 'program.ts');
  const path = join(folder, 'program.mjs');
  writeFileSync(entry, code.replaceAll('#src/', source));
  await build({
    entryPoints: [entry],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['kubewright-source'],
    // CommonJS packages in the bundle need `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
