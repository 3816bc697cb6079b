// Counts the names that the packages export, using the reports in docs/api, and compares the counts with the ceilings
// below. The public API must stay small enough to learn; names that only our own packages share are exported from
// `./internal`, see docs/decisions/0017.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// About 20 of the public names belong to the test kit, and 45 to the API server library.
const ceilings = { public: 350, internal: 100 };

const reports = fileURLToPath(new URL('../docs/api/', import.meta.url));
const counts = { public: 0, internal: 0 };
const lines = [];
for (const name of readdirSync(reports).sort()) {
  const exported = namesIn(readFileSync(reports + name, 'utf8')).size;
  counts[name.endsWith('-internal.api.md') ? 'internal' : 'public'] += exported;
  lines.push(`  ${name.replace('.api.md', '')}: ${exported}`);
}

console.log(`${counts.public} of ${ceilings.public} public names, ${counts.internal} of ${ceilings.internal} internal`);
if (process.argv.includes('--packages')) console.log(lines.join('\n'));
for (const kind of ['public', 'internal']) {
  if (counts[kind] <= ceilings[kind]) continue;
  console.log(
    `too many ${kind} names\n${lines.join('\n')}\n  why: a package exports more than before\n  do: export only what a program must name; move what other packages share to src/internal.ts, or raise the ceiling in scripts/check-surface.mjs with a reason`,
  );
  process.exitCode = 1;
}

/** Returns the exported names; overloads count as one name. */
function namesIn(report) {
  const declared = report.matchAll(
    /^export (?:declare |abstract )*(?:class|const|function|interface|namespace|type) (\w+)/gm,
  );
  const listed = [...report.matchAll(/^export (?:type )?\{([^}]+)\}/gm)].flatMap(([, names]) => names.split(','));
  return new Set([...declared].map(([, name]) => name).concat(listed.map((name) => name.trim()).filter(Boolean)));
}
