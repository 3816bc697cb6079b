// Extracts the prose of a Markdown page. Code, link targets and comments are masked, so offsets and lines match the page.

/** A character that no rule matches. */
const mask = '\u0000';
const code = /^ *(`{3,}).*?^ *\1 *$|(`+)(?:(?!\2)[\s\S])+?\2/gms;
const markup = /<!--.*?-->|(?<=\])\([^()\s]+\)|<[^<>\n]+>|https?:\/\/\S+/gs;
const exception = /<!-- prose: allow "([^"]+)" because \S[^>]*-->/g;

/**
 * Returns the page's masked text and its exceptions: `<!-- prose: allow "nor" because … -->`, up to the next blank
 * line.
 */
export function readMarkdown(text) {
  const withoutCode = text.replace(code, masked);
  const lines = text.split('\n');
  const allowed = [...withoutCode.matchAll(exception)].map(({ 1: phrase, index }) => {
    const from = text.slice(0, index).split('\n').length;
    const blank = lines.findIndex((line, at) => at >= from && line.trim() === '');
    return { from, to: blank === -1 ? lines.length : blank, phrase };
  });
  return { masked: withoutCode.replace(markup, masked), docStarts: [], allowed };
}

function masked(text) {
  return text.replace(/[^\n]/g, mask);
}
