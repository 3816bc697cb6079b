/** Prints an error as one line, without the objects and headers that it may carry. */
export function printError(error: unknown, output: { write(text: string): unknown } = process.stderr): void {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // Error messages of other libraries may quote a token that was passed to them.
  const safe = text.replace(/\b(bearer\s+)\S+/gi, '$1***').replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '***');
  output.write(`apiserver: ${safe.replace(/\s+/g, ' ').trim()}\n`);
}
