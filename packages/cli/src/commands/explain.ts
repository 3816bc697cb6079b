import type { Command } from 'commander';
import { exampleOf, exampleText } from '../explain/examples/index.ts';
import { errorCodes } from '../explain/generated/error-codes.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';

/** Adds `explain CODE`, which describes an error code with an example, its cause and its fix. Works offline. */
export function addExplain(program: Command, { reporter }: Context): void {
  program
    .command('explain')
    .description('say what an error code means; without one, list all')
    .argument('[CODE]', 'such as KW7301')
    .action((asked: string | undefined) => {
      if (asked === undefined) {
        const list = errorCodes.map(({ code, title }) => `${code}  ${title}\n`).join('');
        return reporter.result({ codes: errorCodes }, list);
      }
      const code = asked.toUpperCase().replace(/^(\d{4})$/, 'KW$1');
      const found = errorCodes.find((each) => each.code === code);
      if (!found) {
        throw new CliError('KW7003', {
          what: `there is no error code ${asked}`,
          why: 'codes are KW and four digits, and this version has no such one',
          remedy: 'kubewright explain lists all',
        });
      }
      const { title, text, source } = found;
      // The title is the first sentence of the text.
      const more = text.length > title.length + 1 ? `${text}\n\n` : '';
      const example = exampleOf(code);
      const shown = example === undefined ? '' : exampleText(example);
      const record = { ...found, ...(example && { example: { ...example, code: undefined } }) };
      return reporter.result(record, `${code}  ${title}\n\n${more}${shown}Made by ${source}.\n`);
    });
}
