import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';

/** Iterations that PostgreSQL itself uses. */
const iterations = 4096;

/**
 * Returns the SCRAM-SHA-256 verifier of a password (RFC 5803), as PostgreSQL stores it. Neither the password nor anything it could be
 * computed from is then sent to the server, or written to its log.
 *
 * @param salt - 16 random bytes
 */
export function scramVerifier(password: string, salt: Uint8Array): string {
  // Close to SASLprep (RFC 4013) for what people choose as passwords: PostgreSQL uses others unchanged, too.
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const server = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${Buffer.from(salt).toString('base64')}$${stored}:${server}`;
}
