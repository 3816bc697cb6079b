import { spawnSync } from 'node:child_process';
import { runOperator } from '@kubewright/runtime';
import { playbookController } from './playbook-operator.ts';
import { missingProgram } from './run-playbook.ts';
import { readWatches } from './watches.ts';

/** Path of the watches file, relative to the working directory. */
const file = process.env['WATCHES'] ?? 'watches.yaml';

if (spawnSync('ansible-playbook', ['--version']).error) {
  process.stderr.write(`${missingProgram}\n`);
  process.exitCode = 1;
} else process.exitCode = await runOperator({ controllers: readWatches(file).map(playbookController) });
