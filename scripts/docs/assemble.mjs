// Assembles the site's pages: the pages in docs/, and related pages elsewhere in the repository.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { slugOf } from './slug.mjs';

/** Maps the path of each page and picture in the repository to its path on the site. */
function pagesOf(root) {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => path.replaceAll('\\', '/'));
  const docs = below('docs')
    .filter((path) => path.endsWith('.md') && !/^(api|\.vitepress)\/|^(plan|proof)\.md$/.test(path))
    .map((path) => [`docs/${path}`, path]);
  const pictures = below('docs')
    .filter((path) => path.endsWith('.svg'))
    .map((path) => [`docs/${path}`, path]);
  const readmes = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => existsSync(join(root, folder, name, 'README.md')))
      .map((name) => [`${folder}/${name}/README.md`, `${folder}/${name}.md`]),
  );
  const others = { 'README.md': 'readme', 'ARCHITECTURE.md': 'architecture', 'CONTRIBUTING.md': 'contributing' };
  const project = Object.entries({
    ...others,
    'bench/README.md': 'measurements',
    'bench/notes.md': 'measurement-notes',
  })
    .filter(([path]) => existsSync(join(root, path)))
    .map(([path, name]) => [path, `project/${name}.md`]);
  return new Map([...docs, ...pictures, ...readmes, ...project]);
}

/** Writes the pages into a folder; returns dead links, each as `file:line: why`. */
export function assemble(root, folder) {
  const pages = pagesOf(root);
  const dead = [];
  for (const [source, target] of pages) {
    mkdirSync(dirname(join(folder, target)), { recursive: true });
    if (!source.endsWith('.md')) {
      copyFileSync(join(root, source), join(folder, target));
      continue;
    }
    const text = readFileSync(join(root, source), 'utf8');
    const follow = follower({ root, pages, source, target });
    const linked = eachLink(text, (link, line) => {
      const followed = follow(link);
      if (followed.dead) dead.push(`${source}:${line}: ${link.url} ${followed.dead}`);
      return followed.text;
    });
    writeFileSync(join(folder, target), linked);
  }
  return dead;
}

function follower({ root, pages, source, target }) {
  return ({ label, url }) => {
    const unchanged = { text: `[${label}](${url})` };
    if (/^[a-z]+:/.test(url)) return unchanged;
    const [path, anchor] = url.split('#');
    const file = path === '' ? source : posix.join(posix.dirname(source), path).replace(/\/$/, '');
    // Readers of a clone also follow these links, so no link may lead to a page that exists only on the site.
    if (!existsSync(join(root, file))) return { ...unchanged, dead: 'does not exist' };
    if (anchor !== undefined && file.endsWith('.md')) {
      if (!anchorsOf(readFileSync(join(root, file), 'utf8')).has(anchor))
        return { ...unchanged, dead: 'has no such heading' };
    }
    const readme = existsSync(join(root, file, 'README.md')) ? `${file}/README.md` : file;
    const page = pages.get(readme);
    // The site has no pages for source files.
    if (page === undefined) return { text: label };
    const from = posix.relative(posix.dirname(target), page);
    return {
      text: `[${label}](${from.startsWith('.') ? from : `./${from}`}${anchor === undefined ? '' : `#${anchor}`})`,
    };
  };
}

/** Replaces the links in Markdown, except in code. */
function eachLink(text, replace) {
  const parts = /^ *(`{3,}).*?^ *\1 *$|(`+)(?:(?!\2).)+?\2|\[((?:[^[\]]|\[[^\]]*\])+)\]\(([^()\s]+)\)/gms;
  return text.replace(parts, (whole, _fence, _code, label, url, index) =>
    url === undefined ? whole : replace({ label, url }, text.slice(0, index).split('\n').length),
  );
}

function anchorsOf(text) {
  const outside = text.replace(/^(`{3,}).*?^\1/gms, '');
  const seen = new Map();
  const slugs = [...outside.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
    const slug = slugOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(slugs);
}
