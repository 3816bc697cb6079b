import type { Random } from '@kubewright/apimachinery';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** Maximum number of attempts to generate a name that is not taken. */
export const GENERATE_NAME_TRIES = 8;

/** Appends five random characters, which cannot spell a word, to at most 58 characters of `base`. */
export function generateName(base: string, random: Random): string {
  let name = base.slice(0, MAX_BASE_LENGTH);
  for (let i = 0; i < SUFFIX_LENGTH; i++) name += ALPHABET[Math.floor(random.next() * ALPHABET.length)];
  return name;
}
