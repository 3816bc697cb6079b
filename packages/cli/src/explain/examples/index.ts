import { callExamples } from './call-examples.ts';
import type { CodeExample } from './code-example.ts';
import { commandExamples } from './command-examples.ts';
import { typeExamples } from './type-examples.ts';

export type { CodeExample };

const all: readonly CodeExample[] = [...typeExamples, ...commandExamples, ...callExamples];

/** Returns the example of an error code. Only the codes that users encounter most have an example. */
export function exampleOf(code: string): CodeExample | undefined {
  return all.find((each) => each.code === code);
}

/** Formats an example for the terminal. */
export function exampleText({ mistake, cause, fix }: CodeExample): string {
  const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');
  return `Example:\n\n${indented(mistake)}\n\nCause: ${cause}\n\nFix:\n\n${indented(fix)}\n\n`;
}
