#!/usr/bin/env node
// What npm links in place of the build, as main.js says; while someone types, nothing is built and nothing is said.
import { existsSync } from 'node:fs';

const program = new URL('../dist/complete.js', import.meta.url);
if (existsSync(program)) await import(program.href);
