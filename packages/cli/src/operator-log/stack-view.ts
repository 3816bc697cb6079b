import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeFrame, type Place } from './code-frame.ts';

/** The maximum number of listed frames in the user's own code. */
const maxOwnFrames = 5;
/** Maximum size of a source file to show lines from, in bytes. Larger files are not handwritten. */
const largestSource = 2 * 1024 * 1024;

/** Options for showing stacks. */
export interface StackViewOptions {
  /** Folder of the user's code: frames of files in it, except node_modules, are the user's own. */
  readonly root: string;
  /** Shows all frames. */
  readonly full: boolean;
}

/** A stack frame. */
interface Frame extends Place {
  readonly file: string;
  /** The called function; empty at the top level of a module. */
  readonly call: string;
  readonly text: string;
}

/** True if the line is a stack frame. */
export function isFrame(line: string): boolean {
  return /^\s+at .*:\d+:\d+\)?$/.test(line) || /^\s+at (?:async )?[\w.<>[\] ]+ \(<anonymous>\)$/.test(line);
}

/**
 * Shows the origin of a stack: the first frame in the user's own files with its lines of code, the locations of the
 * user's other frames, and the number of remaining frames.
 */
export function stackView(stack: string, { root, full }: StackViewOptions): readonly string[] {
  const frames = stack.split('\n').filter(isFrame).map(parseFrame);
  const own = frames.filter(({ file }) => isOwn(file, root));
  const [first, ...further] = own;
  const lines: string[] = [];
  if (first) {
    const source = sourceOf(first.file);
    lines.push(placeOf(first, root));
    if (source !== undefined) lines.push(...codeFrame(source, first).map((line) => `  ${line}`));
  }
  if (full) return [...lines, ...frames.map(({ text }) => text)];
  for (const frame of further.slice(0, maxOwnFrames - 1)) {
    lines.push(`${placeOf(frame, root)}${frame.call === '' ? '' : `  in ${frame.call}`}`);
  }
  const folded = frames.length - Math.min(own.length, maxOwnFrames);
  if (folded === 1) lines.push('… 1 library frame hidden; use --full-stacks to show it');
  if (folded > 1) lines.push(`… ${folded} library frames hidden; use --full-stacks to show them`);
  return lines;
}

function parseFrame(text: string): Frame {
  const trimmed = text.trim();
  const [, called, inBrackets, bare, line, column] =
    /^at (?:(.*?) \((.*):(?=\d+:\d+\)$)|(.*):(?=\d+:\d+$))(\d+):(\d+)\)?$/.exec(trimmed) ?? [];
  return {
    text: trimmed,
    call: called?.replace(/^async |^new |^<anonymous>$|^Object\./g, '') ?? '',
    file: pathOf(inBrackets ?? bare?.replace(/^async /, '') ?? ''),
    line: Number(line ?? 0),
    column: Number(column ?? 0),
  };
}

function pathOf(file: string): string {
  if (!file.startsWith('file://')) return file;
  try {
    return fileURLToPath(file);
  } catch {
    // The URL is not a path on this system.
    return file;
  }
}

/** True for files of the project itself; the bundle is in a generated folder. */
function isOwn(file: string, root: string): boolean {
  if (!isAbsolute(file)) return false;
  const path = relative(root, file);
  const parts = path.split(sep);
  return (
    !isAbsolute(path) && !['..', '.kubewright', 'dist'].includes(parts[0] ?? '') && !parts.includes('node_modules')
  );
}

function placeOf({ file, line, column }: Frame, root: string): string {
  return `${relative(root, file)}:${line}:${column}`;
}

function sourceOf(file: string): string | undefined {
  try {
    return statSync(file).size > largestSource ? undefined : readFileSync(file, 'utf8');
  } catch {
    // The file was deleted after it was bundled.
    return undefined;
  }
}
