import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { slugOf } from '../../scripts/docs/slug.mjs';
import { codeTitles } from './code-titles.mjs';
import { sidebar } from './sidebar.mjs';

// scripts/docs.mjs assembles the pages first: docs/, READMEs, and the generated reference.
const pages = fileURLToPath(new URL('../../.site/pages', import.meta.url));
const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M6 4v24M6 17 22 4M11 13l13 15" fill="none" stroke="#b4532a" stroke-width="5" stroke-linecap="round"/></svg>`;

export default defineConfig({
  title: 'Kubewright',
  description: 'Kubernetes operators in TypeScript, with an embedded control plane to run them on',
  lang: 'en',
  srcDir: pages,
  outDir: fileURLToPath(new URL('../../.site/dist', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../../.site/cache', import.meta.url)),
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(mark)}` }]],
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: 'github-light', dark: 'github-dark' },
    config: codeTitles,
  },
  themeConfig: {
    siteTitle: 'Kubewright',
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Reference', link: '/reference/command-line' },
    ],
    sidebar: sidebar(pages),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
