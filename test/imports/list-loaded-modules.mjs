// Imports a module and prints the files and `node:` modules that the import loads, one per line, in order.
import { register } from 'node:module';

const hooks = `
  import { writeSync } from 'node:fs';
  export async function load(url, context, next) {
    writeSync(1, url + '\\n');
    return next(url, context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
await import(process.argv[2]);
