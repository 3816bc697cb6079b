import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown for an invalid command line; the message ends with the list of known flags. */
export class FlagError extends KubewrightError {
  override readonly name = 'FlagError';
  /** Fix the command line. */
  readonly code = 'KW3032';
}

/** A flag of a program. */
export interface FlagDefinition {
  readonly type: 'text' | 'boolean';
  /** One-line description for the user. */
  readonly help: string;
  /** Default value shown in the usage text; the caller applies it. */
  readonly default?: string;
}

/**
 * Parses flags like Go's `flag` package: one dash or two, `-name=value` or `-name value`; a boolean flag alone means true, and
 * takes a value only after `=`. If a flag is repeated, the last value wins.
 *
 * @throws FlagError (KW3032) for anything else, including positional arguments.
 */
export function parseFlags(
  args: readonly string[],
  known: Readonly<Record<string, FlagDefinition>>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--' && i === args.length - 1) break;
    const match = /^--?([a-z][a-z0-9-]*)(?:=([\s\S]*))?$/.exec(arg);
    if (!match) throw unknown(`cannot parse argument ${JSON.stringify(arg)}`, known);
    const [, name = '', given] = match;
    const flag = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!flag) throw unknown(`unknown flag --${name}`, known);
    const next = flag.type === 'boolean' ? 'true' : args[++i];
    if (given !== undefined && flag.type === 'text') i--;
    const value = given ?? next;
    if (value === undefined) throw unknown(`flag --${name} requires a value`, known);
    found.set(name, flag.type === 'boolean' ? String(readBoolean(name, value)) : value);
  }
  return found;
}

/** Lists the flags of a program, one per line. */
export function flagUsage(known: Readonly<Record<string, FlagDefinition>>): string {
  return Object.entries(known)
    .map(([name, flag]) => `  --${name}  ${flag.help}${flag.default === undefined ? '' : ` (default ${flag.default})`}`)
    .join('\n');
}

function readBoolean(name: string, text: string): boolean {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false;
  throw new FlagError({ what: `invalid value ${JSON.stringify(text)} for --${name}`, why: 'must be true or false' });
}

function unknown(what: string, known: Readonly<Record<string, FlagDefinition>>): FlagError {
  return new FlagError({ what, remedy: `use one of these flags:\n${flagUsage(known)}` });
}
