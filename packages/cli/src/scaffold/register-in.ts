import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../program/context.ts';
import { type Registration, register } from '../templates/register.ts';

/** Adds an entry to a list in `src/main.ts` or `src/apiserver.ts`, or reports what to add by hand. */
export function registerIn(root: string, registration: Registration, { reporter }: Context): void {
  const file = ['kinds', 'conversions'].includes(registration.list) ? 'src/apiserver.ts' : 'src/main.ts';
  const path = join(root, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const changed = text === undefined ? undefined : register(text, registration);
  if (changed === undefined) {
    const { variable, module, list } = registration;
    const todo = `import { ${variable} } from '${module}'; and add it to ${list}`;
    reporter.step(`add to ${file}`, todo, 'bad');
  } else if (changed !== text) {
    writeFileSync(path, changed);
    reporter.step('changed', file);
  }
}
