import type { CoreMessage } from './failure.ts';
import type { Output } from './surroundings.ts';

const codes = { good: '\u001b[32m', bad: '\u001b[33m', dim: '\u001b[2m', reset: '\u001b[0m' } as const;

/** What a reporter writes to, and how. */
export interface ReporterOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Records, one JSON object a line, in place of text. */
  readonly json: boolean;
  readonly colors: boolean;
}

/** Tells of a command's progress and result: to people as text, to programs as records with the same content. */
export class Reporter {
  readonly json: boolean;
  readonly #stdout: Output;
  readonly #stderr: Output;
  readonly #colors: boolean;

  constructor({ stdout, stderr, json, colors }: ReporterOptions) {
    this.json = json;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#colors = colors && !json;
  }

  /** Something was done. */
  step(what: string, detail = '', mood: 'good' | 'bad' = 'good'): void {
    const sign = this.#paint(mood, mood === 'good' ? '✓' : '!');
    if (this.json) this.record({ step: what, ...(detail && { detail }), ...(mood === 'bad' && { warning: true }) });
    else this.#stdout.write(`${sign} ${what.padEnd(20)} ${detail}`.trimEnd().concat('\n'));
  }

  /** For people only. */
  text(text: string): void {
    if (!this.json) this.#stdout.write(text);
  }

  /** What was asked for: `record` for programs, `text` for people. */
  result(record: object, text: string): void {
    if (this.json) this.record(record);
    else this.#stdout.write(text);
  }

  /** What failed: to people on the error output, to programs as the last record. */
  failure({ code, what, why, remedy }: CoreMessage): void {
    if (this.json) this.record({ error: { code, what, why, do: remedy } });
    else this.#stderr.write(`${code} ${what}\n  why: ${indented(why)}\n  do: ${indented(remedy)}\n`);
  }

  /** Dims what is of less weight, where there are colours. */
  dim(text: string): string {
    return this.#paint('dim', text);
  }

  /** One JSON object on a line of its own. */
  record(record: object): void {
    this.#stdout.write(`${JSON.stringify(record)}\n`);
  }

  #paint(code: 'good' | 'bad' | 'dim', text: string): string {
    return this.#colors ? `${codes[code]}${text}${codes.reset}` : text;
  }
}

function indented(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n    ');
}
