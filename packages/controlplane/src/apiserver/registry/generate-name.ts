import type { Random } from '@kubewright/apimachinery';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** How often a generated name that is taken is drawn again. */
export const GENERATE_NAME_TRIES = 8;

/** Appends five random characters, in which no word can appear, to at most 58 of `base`. */
export function generateName(base: string, random: Random): string {
  let name = base.slice(0, MAX_BASE_LENGTH);
  for (let i = 0; i < SUFFIX_LENGTH; i++) name += ALPHABET[Math.floor(random.next() * ALPHABET.length)];
  return name;
}
