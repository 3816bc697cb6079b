/** Parses an LSN such as `16/B374D848`. Returns -1 for any other text. */
export function lsnOf(text: string | undefined): bigint {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text ?? '') ?? [];
  if (high === undefined || low === undefined) return -1n;
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
