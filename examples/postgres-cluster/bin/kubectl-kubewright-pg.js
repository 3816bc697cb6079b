#!/usr/bin/env node
// npm links an executable only if its file exists, so this file is linked instead of the bundle. It builds the plugin on the
// first run.
import { existsSync } from 'node:fs';

const program = new URL('../dist/plugin/main.mjs', import.meta.url);
if (!existsSync(program)) await import('../build-programs.mjs');
await import(program.href);
