/**
 * Writes everything that Kubewright knows about Kubernetes' built-in kinds: TypeScript types, the type table, protobuf
 * field numbers, resources and table columns.
 *
 *     node scripts/generate-builtin.mjs [--check] [DATA FOLDER]      # default ../shared/data
 *
 * `--check` writes nothing and fails if the committed files differ. Without the data folder, the check reports that
 * there is nothing to compare and passes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goTypeNames } from './generate-builtin/go-type-names.mjs';
import { protobufTable } from './generate-builtin/protobuf-table.mjs';
import { readData } from './generate-builtin/read-data.mjs';
import { resourceTable } from './generate-builtin/resource-table.mjs';
import { typeTable } from './generate-builtin/type-table.mjs';
import { typeModules, typeSubpaths } from './generate-builtin/types.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folders = ['packages/apimachinery/src/generated', 'packages/schema/src/generated'];
const manifest = 'packages/apimachinery/package.json';

const check = process.argv.includes('--check');
const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? join(root, '../shared/data');
const data = readData(folder);
if (data === undefined) {
  console.log(`no data in ${folder}; the generated files were not ${check ? 'compared' : 'written'}`);
  process.exitCode = check ? 0 : 1;
} else {
  const files = generate(data);
  if (check) report(differences(files));
  else write(files);
}

/** Generates all files. @returns {Map<string, string>} path from the repository's root → text */
function generate(data) {
  const files = new Map();
  for (const [name, text] of typeModules(data)) files.set(join(folders[0], name), text);
  files.set(join(folders[1], 'type-table.ts'), typeTable(data));
  files.set(join(folders[1], 'protobuf-table.ts'), protobufTable(data));
  files.set(join(folders[1], 'resource-table.ts'), resourceTable(data));
  files.set(join(folders[1], 'go-type-names.ts'), goTypeNames(data));
  files.set(manifest, manifestText(data));
  return files;
}

/** Returns the package.json with its other subpaths and a subpath for each module of types. */
function manifestText(data) {
  const parsed = JSON.parse(readFileSync(join(root, manifest), 'utf8'));
  const written = ['.', './internal', './testing'];
  const subpaths = Object.fromEntries(written.map((path) => [path, parsed.exports[path]]));
  for (const subpath of typeSubpaths(data)) {
    const file = `generated/${subpath.replace('/', '-')}`;
    subpaths[`./${subpath}`] = {
      'kubewright-source': `./src/${file}.ts`,
      types: `./dist/${file}.d.ts`,
      default: `./dist/${file}.js`,
    };
  }
  return `${JSON.stringify({ ...parsed, exports: subpaths }, null, 2)}\n`;
}

function write(files) {
  for (const path of existing()) if (!files.has(path)) rmSync(join(root, path));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  console.log(`wrote ${files.size} files`);
}

function differences(files) {
  const stale = [...files].filter(([path, text]) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  return [...stale.map(([path]) => path), ...existing().filter((path) => !files.has(path))];
}

function report(paths) {
  if (paths.length === 0) {
    console.log('generated files are up to date');
    return;
  }
  console.error(`out of date: ${paths.join(', ')}\n  fix: run node scripts/generate-builtin.mjs`);
  process.exitCode = 1;
}

function existing() {
  return folders
    .map((name) => join(root, name))
    .filter((name) => existsSync(name))
    .flatMap((name) => readdirSync(name).map((file) => relative(root, join(name, file))));
}
