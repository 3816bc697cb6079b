import { CliError } from '../program/cli-error.ts';

/** The flags of a program, grouped by whether they take a value. */
export interface FlagTable {
  /** Flags with a value. */
  readonly values: ReadonlySet<string>;
  /** Flags that need no value: `--name` means `--name=true`. */
  readonly switches: ReadonlySet<string>;
}

/** The values of each flag, in the order of the command line. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/**
 * Parses flags as Go's pflag does: `--name=value`, `--name value`, and `--name` for switches.
 *
 * @throws CliError KW7001 for a flag that the program does not have, a missing value, or an argument
 */
export function parseFlags(program: string, { args, table }: { args: readonly string[]; table: FlagTable }): Flags {
  const flags = new Map<string, string[]>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name = '', assigned] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === '') throw wrong(program, `unexpected argument ${JSON.stringify(arg)}`);
    const isSwitch = table.switches.has(name);
    if (!isSwitch && !table.values.has(name)) throw wrong(program, `unknown flag: --${name}`);
    const value = assigned ?? (isSwitch ? 'true' : rest.shift());
    if (value === undefined) throw wrong(program, `flag needs an argument: --${name}`);
    flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return flags;
}

/** Returns a usage error of a program. */
export function wrong(
  program: string,
  why: string,
  remedy: string = `run ${program} --help to list its flags`,
): CliError {
  return new CliError('KW7001', { what: `${program} cannot start`, why, remedy });
}
