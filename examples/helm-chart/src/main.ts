import { spawnSync } from 'node:child_process';
import { runOperator } from '@kubewright/runtime';
import { chartController } from './chart-operator.ts';
import { missingProgram } from './render-chart.ts';
import { readWatches } from './watches.ts';

/** Path of the watches file, relative to the working directory. */
const file = process.env['WATCHES'] ?? 'watches.yaml';

if (spawnSync('helm', ['version']).error) {
  process.stderr.write(`${missingProgram}\n`);
  process.exitCode = 1;
} else process.exitCode = await runOperator({ controllers: readWatches(file).map(chartController) });
