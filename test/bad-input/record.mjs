/**
 * Records the responses of the real API server (with its controllers) to the tables in `tables/`:
 *
 * node record.mjs https://127.0.0.1:PORT TOKEN [TABLE…]
 *
 * The server must be empty, because the names of the created objects are fixed.
 */
import { writeFileSync } from 'node:fs';
import { tables } from './tables/index.mjs';
import { runTable } from './wire.mjs';

const [url, token, ...wanted] = process.argv.slice(2);
for (const [name, table] of Object.entries(tables)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const results = await runTable({ url, token }, table);
  const lines = results.map((result) => JSON.stringify(result)).join(',\n');
  writeFileSync(new URL(`./testdata/${name}-1.36.3.json`, import.meta.url), `[\n${lines}\n]\n`);
  process.stderr.write(`${name}: ${results.length} responses\n`);
}
