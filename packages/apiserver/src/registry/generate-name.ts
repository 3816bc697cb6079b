import type { Random } from '@kubewright/apimachinery';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;

/** Maximum number of attempts to generate a name that is not taken. */
export const generateNameTries = 8;

/**
 * Appends five random characters to the first 58 characters of `base`. The alphabet has no vowels, so that the name
 * spells no words.
 */
export function generateName(base: string, random: Random): string {
  let name = base.slice(0, maxBaseLength);
  for (let i = 0; i < suffixLength; i++) name += alphabet[Math.floor(random.next() * alphabet.length)];
  return name;
}
