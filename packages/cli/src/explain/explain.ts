import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { exampleOf, exampleText } from './examples/index.ts';
import { errorCodes } from './generated/error-codes.ts';

/** Prints the description of an error code, or a list of all codes. @throws CliError KW7003 if the code is unknown */
export function explain({ reporter }: Context, requested: string | undefined): void {
  if (requested === undefined) {
    const list = errorCodes.map(({ code, title }) => `${code}  ${title}\n`).join('');
    reporter.result({ codes: errorCodes }, list);
    return;
  }
  const code = requested.toUpperCase().replace(/^(\d{4})$/, 'KW$1');
  const found = errorCodes.find((each) => each.code === code);
  if (!found) {
    throw new CliError('KW7003', {
      what: `unknown error code ${requested}`,
      why: 'this version has no such code; codes consist of KW and four digits',
      remedy: 'list all codes: kubewright explain',
    });
  }
  const { title, text, source } = found;
  // The title is the first sentence of the explanation.
  const more = text.length > title.length + 1 ? `${text}\n\n` : '';
  const example = exampleOf(code);
  const shown = example === undefined ? '' : exampleText(example);
  const record = { ...found, ...(example && { example: { ...example, code: undefined } }) };
  reporter.result(record, `${code}  ${title}\n\n${more}${shown}Source: ${source}\n`);
}
