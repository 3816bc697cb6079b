/** An entry of a list in `src/main.ts` or `src/apiserver.ts`, such as a controller. */
export interface Registration {
  /** Option that lists it. */
  readonly list: 'controllers' | 'webhooks' | 'runnables' | 'kinds' | 'conversions';
  readonly variable: string;
  /** Module, relative to `src`. */
  readonly module: string;
  /** The name under which to import the entry if its own name is already taken in the file. */
  readonly alias?: string;
}

/**
 * Adds an import and an entry to the text of a file; the rest is unchanged. Returns `undefined` if the list cannot be found; the
 * user must then edit the file.
 */
export function register(text: string, { list, variable: exported, module, alias }: Registration): string | undefined {
  if (new RegExp(`from '${module.replaceAll('.', '\\.')}'`).test(text)) return text;
  const variable = alias ?? exported;
  const entries = new RegExp(`^(\\s*)${list}: \\[([^\\]]*)\\]`, 'm').exec(text);
  const options = /\b(?:runOperator|apiServer)\(\{\n/.exec(text);
  let changed: string;
  if (entries) {
    const [whole, indent = '', inner = ''] = entries;
    const others = inner
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);
    changed = text.replace(whole, () => `${indent}${list}: [${[...others, variable].join(', ')}]`);
  } else if (options && list !== 'controllers' && list !== 'kinds') {
    changed = text.replace(options[0], () => `${options[0]}  ${list}: [${variable}],\n`);
  } else return undefined;
  const imports = [...changed.matchAll(/^import [^;]*;\n/gm)];
  const last = imports.at(-1);
  const at = last ? last.index + last[0].length : 0;
  return `${changed.slice(0, at)}import { ${alias === undefined ? exported : `${exported} as ${alias}`} } from '${module}';\n${changed.slice(at)}`;
}
