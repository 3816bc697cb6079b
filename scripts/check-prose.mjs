// Finds wording that CONTRIBUTING.md asks to avoid, in pages, comments and messages.
//   node scripts/check-prose.mjs             compares each folder's count with scripts/prose/ratchet.json
//   node scripts/check-prose.mjs PATH…       lists every finding below the paths
//   node scripts/check-prose.mjs --update    lowers the ratchet to today's counts
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkProse, listProse, updateRatchet } from './prose/check.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const paths = process.argv.slice(2);

if (paths[0] === '--update') updateRatchet(root);
else if (paths.length > 0)
  print(
    listProse(
      root,
      paths.map((path) => relative(root, resolve(path))),
    ),
  );
else {
  const { ok, lines } = checkProse(root);
  print(lines);
  process.exitCode = ok ? 0 : 1;
}

function print(lines) {
  for (const line of lines) console.log(line);
}
