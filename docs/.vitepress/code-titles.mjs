/** Shows the title of a block, ` ```ts src/main.ts `, above it: a file's path, or a terminal's name. */
export function codeTitles(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const html = fence(tokens, index, ...rest);
    const [, title] = /^\S+\s+([^{[].*)$/.exec(tokens[index].info.trim()) ?? [];
    if (!title) return html;
    return `<figure class="titled-code"><figcaption>${md.utils.escapeHtml(title)}</figcaption>${html}</figure>`;
  };
}
