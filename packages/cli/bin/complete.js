#!/usr/bin/env node
// npm links this file for the reason given in main.js. It runs at each completion, so it neither builds nor prints errors.
import { existsSync } from 'node:fs';

const program = new URL('../dist/complete.js', import.meta.url);
if (existsSync(program)) await import(program.href);
