import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Groups of pages: paths, and folders that stand for their other pages. Missing pages are skipped. */
const groups = [
  ['Start', ['index.md', 'tutorial.md', 'how-to/from-a-clone.md']],
  [
    'How to',
    [
      ...[
        'how-to/develop.md',
        'how-to/test.md',
        'how-to/networking.md',
        'how-to/go-envtest.md',
        'how-to/watch-pods.md',
        'how-to/finalizers.md',
        'how-to/use-the-client.md',
        'how-to/webhooks.md',
        'how-to/add-a-version.md',
      ],
      ...[
        'how-to/ship.md',
        'how-to/ci.md',
        'how-to/upgrade.md',
        'how-to/trace.md',
        'how-to/audit.md',
        'how-to/troubleshoot.md',
        'how-to/',
      ],
    ],
  ],
  ['Examples', ['examples/index.md', 'postgres-tutorial.md', 'examples/']],
  ['Coming from', ['coming-from-kubebuilder.md', 'coming-from-operator-sdk.md', 'coming-from-controller-runtime.md']],
  ['How it works', ['explanation/', 'fencing.md', 'sharding.md']],
  ['Reference', ['reference/command-line.md', 'reference/', 'glossary.md']],
  ['API reference', ['reference/api/']],
  ['Packages', ['packages/']],
  ['The project', ['project/', 'decisions/']],
];

/** The sidebar of the pages in a folder; a page is in one group at most, the first that names it. */
export function sidebar(folder) {
  const taken = new Set();
  return groups.flatMap(([text, paths], index) => {
    const items = paths
      .flatMap((path) => (path.endsWith('/') ? pagesIn(folder, path) : [path]))
      .filter((path) => existsSync(join(folder, path)) && !taken.has(path) && taken.add(path))
      .map((path) => ({ text: titleOf(join(folder, path)), link: `/${path.replace(/(index)?\.md$/, '')}` }));
    return items.length > 0 ? [{ text, items, collapsed: index > 4 ? true : undefined }] : [];
  });
}

function pagesIn(folder, path) {
  if (!existsSync(join(folder, path))) return [];
  return readdirSync(join(folder, path))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => path + name);
}

function titleOf(path) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  return title?.replaceAll('`', '') ?? path;
}
