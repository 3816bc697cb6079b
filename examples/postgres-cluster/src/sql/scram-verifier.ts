import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { preparedPassword } from './prepared-password.ts';

/** Iterations that PostgreSQL itself uses. */
const iterations = 4096;

/**
 * Returns the SCRAM-SHA-256 verifier of a password (RFC 5803), as PostgreSQL stores it. The password itself is then neither sent to
 * the server nor written to its log.
 *
 * @param salt - 16 random bytes
 */
export function scramVerifier(password: string, salt: Uint8Array): string {
  const salted = pbkdf2Sync(preparedPassword(password), salt, iterations, 32, 'sha256');
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const server = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${Buffer.from(salt).toString('base64')}$${stored}:${server}`;
}
