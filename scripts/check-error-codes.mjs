// Finds error codes that two classes share and codes outside their package's range. Users search for help by error
// code, so each code must identify one class of one package.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ranges = {
  apimachinery: '1',
  client: '2',
  runtime: '3',
  schema: '4',
  // The range of the built-in kinds continues that of the generic server.
  apiserver: '5',
  controlplane: '5',
  codegen: '6',
  cli: '7',
  testing: '8',
};
const folder = process.argv[2] ?? fileURLToPath(new URL('../packages', import.meta.url));
const sources = (path) =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const below = join(path, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sources(below);
    return /\.ts$/.test(entry.name) && !/\.(test|contract|test-d|d)\.ts$/.test(entry.name) ? [below] : [];
  });

const owners = new Map();
const faults = [];
for (const name of readdirSync(folder)) {
  for (const path of sources(join(folder, name))) {
    readFileSync(path, 'utf8')
      .split('\n')
      .forEach((line, index) => {
        const where = `${relative(folder, path)}:${index + 1}`;
        // A class has either one code or a union type of codes.
        const own = /readonly code = '(KW[^']*)'/.exec(line)?.[1];
        const member = /^\s*(?:export type \w*Code = )?\|?\s*'(KW\d+)'(?=\s*(?:\||;|$))/.exec(line);
        const union = member ? [...line.matchAll(/'(KW\d+)'/g)].map((match) => match[1]) : [];
        for (const code of own === undefined ? union : [own]) {
          const range = ranges[name];
          if (range === undefined)
            faults.push(`${where}: package ${name} has no code range; add one to scripts/check-error-codes.mjs`);
          else if (!new RegExp(`^KW${range}\\d{3}$`).test(code))
            faults.push(`${where}: ${code} must match KW${range}nnn`);
          const first = owners.get(code);
          if (first !== undefined) faults.push(`${where}: ${code} is already used at ${first}`);
          else owners.set(code, where);
        }
      });
  }
}
if (owners.size === 0) faults.push(`no error codes found in ${folder}`);
if (faults.length > 0) {
  console.log(
    'Invalid error codes (a code is KW and four digits, the first of which identifies the package, and belongs to one class):',
  );
  for (const fault of faults) console.log(`  ${fault}`);
  process.exitCode = 1;
}
