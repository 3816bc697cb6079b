// `npm run docs`: builds the site of docs/, READMEs and generated reference into .site/dist. Fails on a dead link.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { assemble } from './docs/assemble.mjs';
import { writeReference } from './docs-reference.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = join(root, '.site', 'pages');

rmSync(pages, { recursive: true, force: true });
const dead = assemble(root, pages);
if (dead.length > 0) {
  console.log(`${dead.length} broken links in the documentation\n  ${dead.join('\n  ')}`);
  process.exit(1);
}
if ((await build(() => console.log('building …'))) !== 0) process.exit(1);
await writeReference(pages);
const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js');
const { status } = spawnSync(process.execPath, [vitepress, 'build', 'docs'], { cwd: root, stdio: 'inherit' });
if (status === 0) console.log('built the site in .site/dist');
process.exitCode = status ?? 1;
