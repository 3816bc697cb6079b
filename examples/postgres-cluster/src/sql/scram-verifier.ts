import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { preparedPassword } from './prepared-password.ts';

/** PostgreSQL's default for `scram_iterations`. */
const usualIterations = 4096;

/**
 * Returns the SCRAM-SHA-256 verifier of a password (RFC 5803), as PostgreSQL stores it. With it, the plain password is neither
 * sent to the server nor written to its log.
 *
 * @param salt - 16 random bytes
 */
export function scramVerifier(password: string, salt: Uint8Array): string {
  return verifierOf(password, { salt, iterations: usualIterations });
}

/** Returns true if the stored verifier matches the password. */
export function isVerifierOf(verifier: string, password: string): boolean {
  const [, iterations, salt] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(verifier) ?? [];
  if (iterations === undefined || salt === undefined) return false;
  const found = verifierOf(password, { salt: Buffer.from(salt, 'base64'), iterations: Number(iterations) });
  return found.length === verifier.length && timingSafeEqual(Buffer.from(found), Buffer.from(verifier));
}

function verifierOf(
  password: string,
  { salt, iterations }: { readonly salt: Uint8Array; readonly iterations: number },
): string {
  const salted = pbkdf2Sync(preparedPassword(password), salt, iterations, 32, 'sha256');
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const server = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${Buffer.from(salt).toString('base64')}$${stored}:${server}`;
}
