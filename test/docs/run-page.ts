import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expectedOutput } from '../../scripts/walkthrough/expected-output.mjs';
import { type Block, isFile, type Page } from './pages.ts';
import { Terminal } from './terminal.ts';

/** Options for {@link runPage}. */
export interface RunPageOptions {
  /** The reader's initial folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Follows a page like a reader: writes each block with a file name to that file, and runs each `sh` block in the
 * terminal that its title names (by default, the first). Compares the output with the `text` block that follows, if
 * any.
 *
 * A block in the first terminal must exit with 0, or the page must show its failure with the complete output. After an
 * exit with 0, the error output is not compared, because tools print machine-specific warnings there. Other terminals
 * are pseudo-terminals: once a block has printed the expected output, the block can continue to run until a `^C` block
 * in that terminal. Consecutive blanks count as one. `…` matches any text within a line, and alone on a line any number
 * of lines.
 */
export async function runPage({ path, blocks }: Page, { folder, env }: RunPageOptions): Promise<void> {
  const terminals = new Map<string, Terminal>();
  const terminal = (name: string): Terminal => {
    const found = terminals.get(name) ?? new Terminal({ folder, env, real: name !== '' });
    terminals.set(name, found);
    return found;
  };
  try {
    for (const [index, block] of blocks.entries()) {
      const place = `${path}:${block.line}`;
      if (isFile(block)) writeBlock(terminal('').folder, block);
      else if (block.language === 'sh') {
        const next = blocks[index + 1];
        const shown = next?.language === 'text' ? next.text : undefined;
        await typeBlock(terminal(block.title), { block, shown, place });
      }
    }
  } finally {
    for (const each of terminals.values()) await each.close();
  }
}

function writeBlock(folder: string, { title, text }: Block): void {
  const target = join(folder, title);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

interface Typing {
  readonly block: Block;
  readonly shown: string | undefined;
  readonly place: string;
}

async function typeBlock(terminal: Terminal, { block, shown, place }: Typing): Promise<void> {
  if (block.text.trim() === '^C') return terminal.interrupt();
  const isShown = shown === undefined ? () => true : expectedOutput(shown);
  const mayGoOn = block.title !== '';
  const { exitCode, stdout, all } = await terminal.type(block.text, mayGoOn ? isShown : () => false);
  const seen = `${place}\n${block.text}printed\n${all}`;
  const failed = exitCode !== undefined && exitCode !== 0;
  if (failed && (shown === undefined || !isShown(all))) throw new Error(`${seen}and ended with ${exitCode}`);
  if (!failed && !isShown(mayGoOn ? all : stdout)) throw new Error(`${seen}where the page shows\n${shown}`);
}
