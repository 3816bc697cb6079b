import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem, type Problem } from '@kubewright/codegen';
import { codeFrame } from '../operator-log/code-frame.ts';

/** Formats a problem with the affected line of code. */
export function showProblem(problem: Problem, root: string): string {
  const [head = '', ...more] = formatProblem(problem).split('\n');
  return [head, ...frameOf(problem, root).map((line) => `    ${line}`), ...more].join('\n');
}

function frameOf({ file, line, column }: Problem, root: string): readonly string[] {
  try {
    return codeFrame(readFileSync(join(root, file), 'utf8'), { line, column });
  } catch {
    // A problem with the project itself has no file.
    return [];
  }
}
