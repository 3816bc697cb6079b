#!/usr/bin/env node
import { createProject } from './index.ts';

process.exitCode = await createProject();
