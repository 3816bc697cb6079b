const MAX_LENGTH = 128;

/** Returns the field manager; for a client that names none, its user agent up to the first slash. */
export function managerName(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  if (userAgent === undefined || userAgent === '') return 'unknown';
  const slash = userAgent.indexOf('/');
  const name = slash < 0 ? userAgent : userAgent.slice(0, slash);
  return name.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, MAX_LENGTH);
}
