import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem, type Problem } from '@kubewright/codegen';
import { codeFrame } from '../story/code-frame.ts';

/** Shows a problem of the types with the line that it is in. */
export function showProblem(problem: Problem, root: string): string {
  const [head = '', ...more] = formatProblem(problem).split('\n');
  return [head, ...frameOf(problem, root).map((line) => `    ${line}`), ...more].join('\n');
}

function frameOf({ file, line, column }: Problem, root: string): readonly string[] {
  try {
    return codeFrame(readFileSync(join(root, file), 'utf8'), { line, column });
  } catch {
    // A problem of the project itself has no file.
    return [];
  }
}
