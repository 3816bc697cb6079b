/** A tag in a comment, with the offset of its `@` in the file. */
export interface ParsedTag {
  readonly name: string;
  readonly text: string;
  readonly offset: number;
}

/** A parsed documentation comment. */
export interface ParsedDocs {
  readonly description: string;
  readonly tags: readonly ParsedTag[];
}

/**
 * Matches `@name` at the start or after white space. Also matches kubebuilder's marker names, so that the correct tag can be
 * suggested.
 */
const tagPattern = /(^|\s)@([A-Za-z][\w.:/+-]*)/y;

/** A controller-gen marker, which has its own line. */
const markerPattern =
  /^\s*(\+(?:(?:kubebuilder|k8s):[\w:.+-]*\w|(?:optional|required|nullable|default|listType|listMapKey|mapType|structType)\b))/;

/**
 * Parses a documentation comment. A tag starts with `@name` after white space and extends to the next tag, even over several
 * lines; one line can contain several tags. An `@` in backticks or double quotes does not start a tag.
 *
 * @param comment - the whole comment, including its delimiters
 * @param start - offset of the comment in its file
 */
export function parseDocs(comment: string, start: number): ParsedDocs {
  const tags: { name: string; lines: string[]; offset: number }[] = [];
  const description: string[] = [];
  for (const { text, offset } of contentLines(comment, start)) {
    let rest = 0;
    const keep = (part: string, isWhole: boolean): void => {
      const lines = tags.at(-1)?.lines ?? description;
      if (isWhole) lines.push(part);
      else if (part.trim() !== '') lines.push(part.trimEnd());
    };
    let sawTag = false;
    for (const tag of tagsOf(text)) {
      keep(text.slice(rest, tag.index), false);
      tags.push({ name: tag.name, lines: [], offset: offset + tag.index });
      rest = tag.end;
      sawTag = true;
    }
    if (sawTag) tags.at(-1)?.lines.push(text.slice(rest).trimEnd());
    else keep(text.trimEnd(), true);
  }
  return {
    description: inline(description.join('\n')).trim(),
    tags: tags.map(({ name, lines, offset }) => ({ name, offset, text: lines.join('\n').trim() })),
  };
}

function contentLines(comment: string, start: number): { readonly text: string; readonly offset: number }[] {
  const body = comment.replace(/\*\/$/, '');
  let offset = start;
  return body.split('\n').map((line, index) => {
    const mark = (index === 0 ? /^\/\*\*+ ?/ : /^\s*\* ?|^\s+/).exec(line)?.[0] ?? '';
    const found = { text: line.slice(mark.length).replace(/\r$/, ''), offset: offset + mark.length };
    offset += line.length + 1;
    return found;
  });
}

function tagsOf(line: string): { readonly index: number; readonly end: number; readonly name: string }[] {
  const marker = markerPattern.exec(line)?.[1];
  if (marker !== undefined) {
    const index = line.indexOf(marker);
    return [{ index, end: index + marker.length, name: marker }];
  }
  const found: { index: number; end: number; name: string }[] = [];
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string; // the cast is safe: i is within the line
    if (quote !== '') {
      if (char === '\\') i++;
      else if (char === quote) quote = '';
      continue;
    }
    if (char === '`' || (char === '"' && found.length > 0)) {
      // A quotation mark starts a quotation only if another quotation mark follows on the same line.
      if (line.indexOf(char, i + 1) !== -1) quote = char;
      continue;
    }
    if (char !== '@' || (i > 0 && !/\s/.test(line[i - 1] as string))) continue;
    tagPattern.lastIndex = i === 0 ? 0 : i - 1;
    const match = tagPattern.exec(line);
    if (match === null) continue;
    const name = (match[2] as string).replace(/[.:/+-]+$/, '');
    found.push({ index: i, end: i + 1 + name.length, name });
    i += name.length;
  }
  return found;
}

/** `{@link X}` → X, `{@link X | words}` → words. */
function inline(text: string): string {
  return text.replace(/\{@link(?:code|plain)?\s+([^}|]+?)\s*(?:\|\s*([^}]*?)\s*)?\}/g, (_, target: string, words) =>
    String(words ?? target),
  );
}
