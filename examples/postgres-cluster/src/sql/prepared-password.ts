/** RFC 3454, table C.1.2 (characters mapped to a space) and table B.1 (characters mapped to nothing). */
const spaces = /[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/gu;
const removed = /\u00AD|\u034F|\u1806|[\u180B-\u180D]|\u200C|\u200D|\u2060|[\uFE00-\uFE0F]|\uFEFF/gu;
/**
 * RFC 3454, tables C.2 to C.9: prohibited characters, such as control, private-use, surrogate and display-changing characters.
 */
const prohibited =
  /[\p{Cc}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}\u06DD\u070F\u180E\u2028\u2029\u2061-\u2063\u206A-\u206F\uFFF9-\uFFFD\u2FF0-\u2FFB\u200E\u200F\u202A-\u202E\u{1D173}-\u{1D17A}\u{E0001}\u{E0020}-\u{E007F}]/u;

/**
 * Prepares a password for SCRAM with SASLprep (RFC 4013), as libpq does on the client. Like PostgreSQL, returns a password that
 * SASLprep prohibits unchanged. The rules for bidirectional text and unassigned code points are not implemented.
 */
export function preparedPassword(password: string): string {
  const prepared = password.replace(spaces, ' ').replace(removed, '').normalize('NFKC');
  return prepared === '' || prohibited.test(prepared) ? password : prepared;
}
