import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import { addImportCrd } from './import/crd.ts';

/** Adds `import …`, the commands that read definitions from elsewhere. */
export function addImport(program: Command, context: Context): void {
  const imports = program.command('import').description('import kinds defined elsewhere');
  addImportCrd(imports, context);
}
