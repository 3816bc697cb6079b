import { runOperator } from '@kubewright/runtime';
import { playbookController } from './playbook-operator.ts';
import { readWatches } from './watches.ts';

/** Relative to the working directory. */
const file = process.env['WATCHES'] ?? 'watches.yaml';

process.exitCode = await runOperator({ controllers: readWatches(file).map(playbookController) });
