import { version } from '../program/version.ts';
import type { Project } from '../project/find-project.ts';
import type { ProjectFile } from '../project/write-files.ts';

type Names = Omit<Project, 'root'>;

/** The files of a new project without kinds; all are the user's from then on. */
export function projectFiles(names: Names): readonly ProjectFile[] {
  return [
    { path: 'package.json', text: manifest(names) },
    { path: 'tsconfig.json', text: tsconfig },
    { path: '.gitignore', text: 'node_modules/\ndist/\n.kubewright/\nkubewright-images.json\n' },
    { path: 'src/main.ts', text: main(names) },
    { path: 'README.md', text: readme(names) },
    { path: 'AGENTS.md', text: agents },
    { path: '.github/workflows/ci.yml', text: workflow },
  ];
}

function manifest({ name, domain }: Names): string {
  const content = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '^20.19 || ^22.12 || >=24' },
    kubewright: { domain },
    scripts: {
      dev: 'kubewright dev',
      generate: 'kubewright generate',
      typecheck: 'tsc',
      test: 'vitest run',
      build: 'kubewright build',
      deploy: 'kubewright deploy',
    },
    dependencies: { '@kubewright/apimachinery': version, '@kubewright/runtime': version },
    devDependencies: { '@types/node': '^22.0.0', kubewright: version, typescript: '^6.0.0', vitest: '^4.1.0' },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const tsconfig = `{
  "compilerOptions": {
    "target": "es2022",
    "lib": ["es2023", "esnext.disposable"],
    "module": "nodenext",
    "strict": true,
    "noEmit": true,
    "skipLibCheck": true,
    "allowImportingTsExtensions": true,
    "types": ["node"]
  },
  "include": ["src"]
}
`;

function main({ name, domain }: Names): string {
  return `import { runOperator } from '@kubewright/runtime';

process.exitCode = await runOperator({
  controllers: [],
  leaderElection: { id: '${name}.${domain}' },
});
`;
}

function readme({ name }: Names): string {
  return `# ${name}

A Kubernetes operator in TypeScript, made with Kubewright.

\`\`\`
npm install
npm run dev         # a cluster of its own, the operator in it, restarted on save; Ctrl-C ends both
npm test
npm run generate    # manifests in config/ from the types in src/
npm run build       # dist/: the operator as one file, Dockerfile, install.yaml
npm run deploy -- --image registry.example.com/${name}:0.1.0
\`\`\`

| folder | holds |
|---|---|
| \`src/api\` | the kinds: the types are the CRDs |
| \`src/controllers\` | what is done about them |
| \`config/samples\` | objects to try |
| other folders of \`config\` | generated; a file whose first line is deleted is left alone |
`;
}

const agents = `# Working on this operator

- The types in \`src/api\` are the CRDs: constraints are tags in comments (\`@minLength 1\`). After a change: \`npm run generate\`.
- Files in \`config/\` whose first line says "Generated" are generated: change the types, not them.
- \`src/controllers\`: \`desired\` says which children an object has and what its status is; it is a pure function of what it
  is given. Children are applied, pruned and owned by the framework.
- Permissions follow from the kinds in \`for\` and \`owns\`.
- Check a change with \`npm run typecheck && npm test\`, and see it work with \`npm run dev\`.
- An error with a code: \`npx kubewright explain KW7301\`.
`;

const workflow = `name: ci
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - run: npm run generate -- --check
      - run: npm run typecheck
      - run: npm test
      - run: npm run build
`;
