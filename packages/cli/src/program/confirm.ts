import type { Context } from './context.ts';

/** Asks a person a question that is answered with yes or no; without one, or when it is not answered, the answer is no. */
export async function confirm({ surroundings, reporter }: Context, message: string): Promise<boolean> {
  if (!surroundings.interactive || reporter.json) return false;
  const prompts = await import('@clack/prompts');
  // A cancelled question answers with a symbol.
  return (await prompts.confirm({ message, initialValue: false, signal: surroundings.signal })) === true;
}
