import type { Context } from './context.ts';

/** Asks the user a yes/no question. Returns false if there is no terminal or the user cancels. */
export async function confirm({ surroundings, reporter }: Context, message: string): Promise<boolean> {
  if (!surroundings.interactive || reporter.json) return false;
  const prompts = await import('@clack/prompts');
  // A canceled prompt returns a symbol.
  return (await prompts.confirm({ message, initialValue: false, signal: surroundings.signal })) === true;
}
