import type { Context } from './context.ts';

/** Prompts the user for yes or no. Returns false if there is no terminal or the user cancels. */
export async function confirm({ environment, reporter }: Context, message: string): Promise<boolean> {
  if (!environment.interactive || reporter.json) return false;
  const prompts = await import('@clack/prompts');
  // A canceled prompt returns a symbol.
  return (await prompts.confirm({ message, initialValue: false, signal: environment.signal })) === true;
}
