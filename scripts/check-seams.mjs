// Finds globals that bypass Clock and Random, through which time, randomness and identity are injected.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const banned =
  /\b(?:setTimeout|setInterval|setImmediate)\(|\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)|\bperformance\.now\(|\brandomUUID\(|\bAbortSignal\.timeout\(|['"](?:node:)?timers\/promises['"]/;
// Files that may use these globals: the system clock itself, and programs kept as text for another thread or process,
// which cannot receive a Clock. All other files give the reason next to the call (`seam: …`).
const seams = /(^|\/)(clock\/system|watchdog\/watchdog-source|images\/stand-in)\.ts$/;
const faults = [];

function visit(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', 'testdata', 'generated', 'bench'].includes(entry.name)) visit(path);
    } else if (/\.ts$/.test(entry.name) && !/\.(test|contract|test-d)\.ts$/.test(entry.name)) scan(path);
  }
}

function scan(path) {
  const name = relative(root, path);
  if (seams.test(name)) return;
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.forEach((line, i) => {
    if (/^\s*(\/\/|\*|\/\*)/.test(line)) return;
    if (banned.test(line) && !/\/\/ seam: \S/.test(line) && !/\/\/ seam: \S/.test(lines[i - 1] ?? ''))
      faults.push(`${name}:${i + 1}: ${line.trim()}`);
  });
}

for (const folder of ['packages', 'examples']) {
  for (const entry of readdirSync(join(root, folder))) {
    try {
      visit(join(root, folder, entry, 'src'));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
}
if (faults.length > 0) {
  console.log(
    `Direct use of time or randomness (inject Clock or Random, or give the reason in a "// seam: …" comment):`,
  );
  for (const fault of faults) console.log(`  ${fault}`);
  process.exitCode = 1;
}
