// Converts the word rules in words.json to regular expressions over masked text (see read-markdown.mjs,
// read-source.mjs).
import { readFileSync } from 'node:fs';

/** A space in a rule matches blanks and at most one line break. */
const gap = '(?:[ \\t]*\\n[ \\t]*|[ \\t]+)';

/** Reads the rules: `find` is a pattern (default: the words of `not`), `at: "doc start"` matches first words only. */
export function readRules() {
  const entries = JSON.parse(readFileSync(new URL('words.json', import.meta.url), 'utf8'));
  return entries.map(({ not, find = escaped(not), but, at, example = not }) => {
    const pattern = `(?<![\\w'-])(?:${find.replaceAll(' ', gap)})(?![\\w-])`;
    return { pattern: new RegExp(pattern, at ? 'y' : 'gi'), but, isDocStart: at === 'doc start', example };
  });
}

/** Returns the findings in one file's text, in order: `{ line, text, but }`. */
export function findingsIn({ masked, docStarts, allowed }, rules) {
  const used = new Set();
  const found = rules.flatMap(({ pattern, but, isDocStart }) => {
    if (!isDocStart) return [...masked.matchAll(pattern)].map((match) => ({ index: match.index, text: match[0], but }));
    return docStarts.flatMap((index) => {
      pattern.lastIndex = index;
      const [text] = pattern.exec(masked) ?? [];
      return text === undefined ? [] : [{ index, text, but }];
    });
  });
  const lineAt = lineFinder(masked);
  const kept = found
    .sort((a, b) => a.index - b.index)
    .map(({ index, text, but }) => ({ line: lineAt(index), text: text.replace(/\s+/g, ' '), but }))
    .filter((finding) => {
      const exceptions = allowed.filter((each) => allows(each, finding));
      for (const each of exceptions) used.add(each);
      return exceptions.length === 0;
    });
  const unused = allowed
    .filter((each) => !used.has(each))
    .map(({ from, phrase }) => ({
      line: from,
      text: phrase ?? 'prose-ok',
      but: 'remove this exception: it matches nothing',
    }));
  return [...kept, ...unused].sort((a, b) => a.line - b.line);
}

function allows({ from, to, phrase }, { line, text }) {
  const isNamed = phrase === undefined || text.toLowerCase().includes(phrase.toLowerCase());
  return line >= from && line <= to && isNamed;
}

function lineFinder(text) {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (index) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
