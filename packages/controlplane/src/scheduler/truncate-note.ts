/** The maximum length of an event's note, as the API server checks it. */
const maxNoteBytes = 1_024;
const suffix = ' ...';

/** Truncates a message to the maximum length of an event's note. Unlike upstream, never splits a character. */
export function truncateNote(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= maxNoteBytes) return message;
  // With `stream: true`, the decoder omits an incomplete character at the end.
  const head = new TextDecoder().decode(bytes.subarray(0, maxNoteBytes - suffix.length), { stream: true });
  return `${head}${suffix}`;
}
