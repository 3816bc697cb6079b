import { runOperator } from '@kubewright/runtime';
import { chartController } from './chart-operator.ts';
import { readWatches } from './watches.ts';

/** Relative to the working directory. */
const file = process.env['WATCHES'] ?? 'watches.yaml';

process.exitCode = await runOperator({ controllers: readWatches(file).map(chartController) });
