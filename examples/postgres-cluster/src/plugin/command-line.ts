import { parseArgs } from 'node:util';
import type { Command, CommandLine, Flag, Flags } from './command.ts';
import { PluginError } from './plugin-error.ts';

/** The command that users type. */
const program = 'kubectl kubewright pg';

/** Flags of all commands. */
const commonFlags: Readonly<Record<string, Flag>> = {
  namespace: { type: 'string', short: 'n', value: 'NAME', text: 'namespace of the cluster' },
  context: { type: 'string', value: 'NAME', text: 'kubeconfig context to use' },
  kubeconfig: { type: 'string', value: 'FILE', text: 'path to the kubeconfig file' },
  help: { type: 'boolean', short: 'h', text: 'print help' },
};

/** Parses the arguments of a command. @throws PluginError with exit code 2 if they are invalid */
export function parseCommandLine(name: string, command: Command, words: readonly string[]): CommandLine {
  const end = words.indexOf('--');
  const [own, rest] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
  try {
    const options = Object.fromEntries(
      Object.entries({ ...command.flags, ...commonFlags }).map(([flag, { type, short }]) => [
        flag,
        { type, ...(short && { short }) },
      ]),
    );
    const { values, positionals } = parseArgs({ args: [...own], options, allowPositionals: true });
    // No option is `multiple`, so no value is an array: the type is narrower than `parseArgs` says.
    const flags = values as Flags;
    if (flags['help'] !== true) checkArgs(command, positionals);
    return { args: positionals, flags, rest };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new PluginError(`${why}; run ${program} ${name} --help`, { exitCode: 2, cause: error });
  }
}

function checkArgs({ args }: Command, given: readonly string[]): void {
  const missing = args.filter((arg) => !arg.startsWith('['))[given.length];
  if (missing !== undefined) throw new Error(`missing argument ${missing}`);
  const surplus = given[args.length];
  if (surplus !== undefined) throw new Error(`unexpected argument ${surplus}`);
}

/** Returns the plugin's help text. */
export function programHelp(commands: Readonly<Record<string, Command>>): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: ${program} COMMAND CLUSTER\n\n${lines.join('\n')}\n\nRun ${program} COMMAND --help for the flags of a command.\n`;
}

/** Returns a command's help text. */
export function commandHelp(name: string, { summary, args, flags }: Command): string {
  const rows = Object.entries({ ...flags, ...commonFlags }).map(([flag, { short, value, text }]) => {
    const long = `--${flag}${value === undefined ? '' : ` ${value}`}`;
    return [`${short === undefined ? '    ' : `-${short}, `}${long}`, text] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const lines = rows.map(([flag, text]) => `  ${flag.padEnd(width)}  ${text}`);
  return `Usage: ${program} ${name} ${args.join(' ')} [flags]\n\n${summary}\n\n${lines.join('\n')}\n`;
}
