import { type Command, CommanderError } from 'commander';
import { CliError } from './cli-error.ts';

const codes = ['commander.missingMandatoryOptionValue', 'commander.excessArguments'];

/**
 * Returns one error for all missing options and unexpected arguments of a command line; Commander reports only the first.
 * Returns undefined for other errors.
 */
export function usageError(error: unknown, { command, name }: UsageErrorOptions): CliError | undefined {
  if (!(error instanceof CommanderError) || !codes.includes(error.code)) return undefined;
  const missing = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  const unexpected = command.args.slice(command.registeredArguments.length).map((word) => JSON.stringify(word));
  const isMissing = `${listed(missing.map(({ long }) => long ?? ''))} ${missing.length === 1 ? 'is' : 'are'} missing`;
  const isUnexpected = `unexpected ${unexpected.length === 1 ? 'argument' : 'arguments'} ${listed(unexpected)}`;
  const usage = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => ` ${placeholder(flags)}`);
  return new CliError('KW7001', {
    what: 'invalid command line',
    why: [...(missing.length > 0 ? [isMissing] : []), ...(unexpected.length > 0 ? [isUnexpected] : [])].join('; '),
    remedy:
      missing.length > 0
        ? `run ${name}${usage.join('')}; for all options: ${name} --help`
        : `remove ${unexpected.length === 1 ? 'it' : 'them'}, or pass an option instead; for all options: ${name} --help`,
  });
}

/** The command that failed. */
interface UsageErrorOptions {
  readonly command: Command;
  /** The words that invoke the command, with the program's name. */
  readonly name: string;
}

/** Returns `--group GROUP` for `--group <GROUP>`. */
function placeholder(flags: string): string {
  return flags.replaceAll(/[<>]/g, '');
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
