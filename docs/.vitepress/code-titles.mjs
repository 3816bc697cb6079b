/** Shows the title of a block, ` ```ts src/main.ts `, above it: a file's path, or a terminal's name. */
export function codeTitles(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    const [, language, title] = /^(\S+)\s+([^{[].*)$/.exec(token.info.trim()) ?? [];
    if (!title) return fence(tokens, index, ...rest);
    // What follows the language is taken for numbers of lines to highlight.
    token.info = language;
    const html = fence(tokens, index, ...rest);
    return `<figure class="titled-code"><figcaption>${md.utils.escapeHtml(title)}</figcaption>${html}</figure>`;
  };
}
