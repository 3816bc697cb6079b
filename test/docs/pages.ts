import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Block, pageBlocks } from '../../scripts/walkthrough/page-blocks.mjs';
import { repository } from '../main-job/repository.ts';

export type { Block };

/** A page of the documentation. */
export interface Page {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Returns the pages in `docs/`, except generated ones. */
export function docsPages(): readonly Page[] {
  return readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !/^(api|\.vitepress)\/|\/generated\//.test(path))
    .sort()
    .map((path) => page(join('docs', path)));
}

/** Reads a page by its path in the repository. */
export function page(path: string): Page {
  const text = readFileSync(join(repository, path), 'utf8');
  return { path: relative('.', path), text, blocks: pageBlocks(text) };
}

/** Reports whether a block is a file: its title is a path. */
export function isFile({ title }: Block): boolean {
  return /[./]/.test(title);
}

/** Returns the rows of a page's tables with trimmed cells, without header and separator rows. */
export function tableRows({ text }: Page): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const isRule = (line: string | undefined) => /^\|[\s:|-]+\|$/.test(line ?? '');
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) => line.slice(1, line.lastIndexOf('|')).split(/(?<!\\)\|/))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('\\|', '|')));
}

/** Returns the inline code in Markdown. */
export function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
