/**
 * Returns the fenced blocks of a page. The block ` ```ts src/main.ts ` has the language `ts` and the title
 * `src/main.ts`.
 */
export function pageBlocks(text) {
  return [...text.matchAll(/^(`{3,})(\S*)[ \t]*([^\n`]*)\n(.*?)^\1$/gms)].map((match) => {
    const [, , language = '', title = '', content = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    return { language, title: title.trim(), text: content, line };
  });
}
