import type { Output } from './cli-environment.ts';
import type { CoreMessage } from './failure.ts';

const codes = { good: '\u001b[32m', bad: '\u001b[33m', dim: '\u001b[2m', reset: '\u001b[0m' } as const;

/** The outputs and format of a reporter. */
export interface ReporterOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Writes records, one JSON object per line, instead of text. */
  readonly json: boolean;
  readonly colors: boolean;
}

/** Reports a command's progress and result: as text for people, or as records with the same content for programs. */
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

  /** Reports a completed step. */
  step(what: string, detail = '', mood: 'good' | 'bad' = 'good'): void {
    const sign = this.#paint(mood, mood === 'good' ? '✓' : '!');
    if (this.json) this.record({ step: what, ...(detail && { detail }), ...(mood === 'bad' && { warning: true }) });
    else this.#stdout.write(`${sign} ${what.padEnd(20)} ${detail}`.trimEnd().concat('\n'));
  }

  /** Writes text, unless the output consists of records. */
  text(text: string): void {
    if (!this.json) this.#stdout.write(text);
  }

  /** Writes the result: `record` for programs, `text` for people. */
  result(record: object, text: string): void {
    if (this.json) this.record(record);
    else this.#stdout.write(text);
  }

  /** Reports a failure: to people on standard error, to programs as the last record. */
  failure({ code, what, why, remedy }: CoreMessage): void {
    if (this.json) {
      this.record({ error: { code, what, why, remedy } });
      return;
    }
    const reason = why === undefined ? '' : `  why: ${indented(why)}\n`;
    this.#stderr.write(`${code} ${what}\n${reason}  fix: ${indented(remedy)}\n`);
  }

  /** Dims less important text if colors are enabled. */
  dim(text: string): string {
    return this.#paint('dim', text);
  }

  /** Writes a JSON object on its own line. */
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
