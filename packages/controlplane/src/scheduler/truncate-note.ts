/** The maximum length of an event's note, as the API server checks it. */
const maxNoteBytes = 1_024;
const suffix = ' ...';

/** Truncates a message to the maximum length of an event's note. Unlike upstream, never splits a character. */
export function truncateNote(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= maxNoteBytes) return message;
  // As part of a stream, a character that is incomplete at the end is left out.
  const head = new TextDecoder().decode(bytes.subarray(0, maxNoteBytes - suffix.length), { stream: true });
  return `${head}${suffix}`;
}
