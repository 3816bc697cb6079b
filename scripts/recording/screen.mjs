/** Colors of SGR codes; others are ignored. */
const colors = new Map([
  [31, 'red'],
  [32, 'green'],
  [33, 'yellow'],
  [34, 'blue'],
  [36, 'cyan'],
  [94, 'blue'],
]);

/**
 * The lines of a terminal, with the features that command-line programs use: text, line ends, carriage returns, erased
 * lines, and bold, faint and colored text. Each line records the time when it was last written.
 */
export class Screen {
  /** @type {{ atMs: number, spans: { text: string, style: string }[] }[]} */
  lines = [{ atMs: 0, spans: [] }];
  #style = '';

  /** Writes output that arrived at `atMs`, in milliseconds since the start. */
  write(text, atMs) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    const pieces = text.matchAll(/\x1b\[([0-9;?]*)([A-Za-z])|(\r?\n)|(\r)|([^\x1b\r\n]+)/g);
    for (const [, codes, command, newLine, carriageReturn, plain] of pieces) {
      if (command === 'm') this.#setStyle(codes);
      else if (command === 'K' || carriageReturn) this.#restart(carriageReturn !== undefined);
      else if (newLine) this.lines.push({ atMs, spans: [] });
      else if (plain) this.#put(plain, atMs);
    }
  }

  #setStyle(codes) {
    for (const code of codes.split(';').map(Number)) {
      if (code === 0 || code === 39 || code === 22) this.#style = '';
      else if (code === 1) this.#style = 'bold';
      else if (code === 2) this.#style = 'faint';
      else this.#style = colors.get(code) ?? this.#style;
    }
  }

  /** Clears the line for new text: after a carriage return or an erase sequence, the program rewrites the line. */
  #restart(isReturn) {
    const line = this.lines.at(-1);
    if (isReturn) line.isReturned = true;
    else line.spans = [];
  }

  #put(text, atMs) {
    const line = this.lines.at(-1);
    if (line.isReturned) {
      line.spans = [];
      line.isReturned = false;
    }
    line.atMs = atMs;
    line.spans.push({ text, style: this.#style });
  }
}
