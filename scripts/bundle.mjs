// Writes the JavaScript that packages ship: one file for each entry and program of a package, with shared code in
// chunks. Hundreds of small modules take longer to find and read than to run; see docs/decisions/0009.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/** Bundles every package. If one package cannot be bundled, rejects and keeps the previous bundles. */
export async function bundle() {
  const folders = readdirSync(packages)
    .sort()
    .map((name) => join(packages, name));
  const bundles = await Promise.all(folders.map(bundlePackage));
  for (const folder of folders) removeScripts(join(folder, 'dist'));
  // Write the files in order, because build.mjs only checks that the last file exists.
  for (const files of bundles) writeScripts(files);
}

async function bundlePackage(folder) {
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // npm links to a small file in bin/, which runs the file of the same name in dist/.
  const programs = [...new Set(Object.values(bin))].map((path) => path.replace(/^\.\/bin\/(.*)\.js$/, './src/$1.ts'));
  const settings = {
    entryPoints: [...Object.values(exports).map((entry) => entry['kubewright-source']), ...programs],
    absWorkingDir: folder,
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // V8 takes a tenth longer to parse files with non-ASCII characters.
    charset: 'ascii',
    sourcemap: 'linked',
    logLevel: 'error',
    write: false,
  };
  const plugins = programs.length === 0 ? [mainCodeInOneChunk(folder, await loadedLater(settings))] : [];
  const { outputFiles } = await build({ ...settings, plugins });
  return outputFiles.map(({ path, contents }) => ({
    path,
    contents: path.endsWith('.map') ? withoutTables(contents) : contents,
  }));
}

/** Leaves the sources of generated modules out of a source map: they are large, and a debugger never stops in a table. */
function withoutTables(contents) {
  const map = JSON.parse(Buffer.from(contents).toString('utf8'));
  map.sourcesContent = map.sourcesContent.map((text, i) => (map.sources[i].includes('/generated/') ? null : text));
  return Buffer.from(JSON.stringify(map));
}

/**
 * Returns the modules that are imported dynamically. Only a complete build knows all of these modules, because esbuild
 * resolves modules in any order.
 */
async function loadedLater(settings) {
  const { metafile } = await build({ ...settings, metafile: true });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const paths = imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external).map(({ path }) => path);
  return new Set(paths.map((path) => join(settings.absWorkingDir, path)));
}

/**
 * Keeps the code of a package's main entry in one file, because each file takes about 0.5 ms to load. By default,
 * esbuild moves code that the entry shares with a dynamically imported module into a separate chunk. To prevent this,
 * each dynamically imported module imports the entry, which is already loaded at that time.
 */
function mainCodeInOneChunk(folder, modules) {
  const main = join(folder, 'src/index.ts');
  return {
    name: 'main-code-in-one-chunk',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!modules.has(path)) return undefined;
        return {
          contents: `${readFileSync(path, 'utf8')}\nimport 'main-entry';\n`,
          loader: 'ts',
          resolveDir: dirname(path),
        };
      });
      // esbuild would drop the import, because the package is declared free of side effects.
      build.onResolve({ filter: /^main-entry$/ }, () => ({ path: main, sideEffects: true }));
    },
  };
}

/** Declarations stay. */
function removeScripts(dist) {
  for (const name of readdirSync(dist, { recursive: true })) {
    if (/\.js(\.map)?$/.test(name)) rmSync(join(dist, name));
  }
}

function writeScripts(files) {
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    // Files that start with #! are programs and must be executable.
    const isProgram = contents[0] === 0x23 && contents[1] === 0x21;
    writeFileSync(path, contents, { mode: isProgram ? 0o755 : 0o644 });
  }
}
