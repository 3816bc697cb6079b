import { runOperator } from '@kubewright/runtime';
import { playbookController } from './playbook-operator.ts';
import { readWatches } from './watches.ts';

/** Path of the watches file, relative to the working directory. */
const file = process.env['WATCHES'] ?? 'watches.yaml';

process.exitCode = await runOperator({ controllers: readWatches(file).map(playbookController) });
