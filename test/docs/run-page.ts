import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expectedOutput } from './expected-output.ts';
import { type Block, isFile, type Page } from './pages.ts';
import { Terminal } from './terminal.ts';

/** Where a page is followed. */
export interface RunPageOptions {
  /** The folder that the reader is in at first. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Follows a page as a reader does: writes each block with a file's name to that file, types each `sh` block into its
 * terminal (the title; none is the first), and compares what it prints with the `text` block behind it, if there is one.
 *
 * A block in the first terminal must end with 0, or be shown failing with all that it writes. When it ends with 0, its error
 * output is not compared: tools warn there of what is this machine's own. Another terminal is a real one; a block may go on
 * there, once it has printed what is shown, until a block there says `^C`. Runs of blanks are as one; `…` stands for
 * anything in a line, alone for any lines.
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
  const told = `${place}\n${block.text}printed\n${all}`;
  const failed = exitCode !== undefined && exitCode !== 0;
  if (failed && (shown === undefined || !isShown(all))) throw new Error(`${told}and ended with ${exitCode}`);
  if (!failed && !isShown(mayGoOn ? all : stdout)) throw new Error(`${told}where the page shows\n${shown}`);
}
