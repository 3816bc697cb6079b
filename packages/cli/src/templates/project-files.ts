import { version } from '../program/version.ts';
import type { Project } from '../project/find-project.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { workflowFiles } from './workflow-files.ts';

type Names = Pick<Project, 'name' | 'domain'>;

/** The files of a new project without kinds; all are the user's from then on. */
export function projectFiles(names: Names): readonly ProjectFile[] {
  return [
    { path: 'package.json', text: manifest(names) },
    { path: 'tsconfig.json', text: tsconfig },
    { path: '.gitignore', text: 'node_modules/\ndist/\n.kubewright/\nkubewright-images.json\n' },
    { path: 'src/main.ts', text: main(names) },
    { path: 'README.md', text: readme(names) },
    { path: 'AGENTS.md', text: agents },
    ...workflowFiles(),
  ];
}

const dependencies = { '@kubewright/apimachinery': version, '@kubewright/runtime': version };
const devDependencies = { '@types/node': '^22.0.0', kubewright: version, typescript: '^6.0.0', vitest: '^4.1.0' };

/** What new projects depend on, and projects that are brought to this version. */
export const packageVersions: Readonly<Record<string, string>> = {
  ...dependencies,
  '@kubewright/client': version,
  ...devDependencies,
};

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
    dependencies,
    devDependencies,
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
| \`src/webhooks\` | defaults, rules and conversions that are code: \`npx kubewright create webhook\` |
| \`config/samples\` | objects to try |
| other folders of \`config\` | generated; a file whose first line is deleted is left alone |
`;
}

const agents = `# Working on this operator

It is written with Kubewright: TypeScript types are the CRDs, functions are the controllers, one process runs both operator
and a Kubernetes cluster to try it in. No Docker, no kubectl, no cluster is needed for anything but a release.

## Commands

| command | does |
|---|---|
| \`npm run dev -- --ci\` | starts a cluster and the operator, applies \`config/samples\`, waits until they are ready, ends: **the check that it works** |
| \`npm run typecheck && npm test\` | types and tests; both take seconds |
| \`npm run generate\` | \`config/\` and \`schemas/\` from the types; after every change of a type, and committed with it |
| \`npx kubewright create api --group G --version v1 --kind K\` | a further kind with its controller |
| \`npx kubewright create webhook --group G --version v1 --kind K --validation\` | a webhook |
| \`npx kubewright explain KW7301\` | what an error code means; every error that is not your code's has one, and a line that says what to do |
| any of them with \`--json\` | the same as records, one JSON object a line |

## Where things are

- \`src/api/VERSION/KIND.ts\`: a kind. Constraints are tags in comments: \`@minLength 1\`, \`@maximum 10\`, \`@default 3\`,
  \`@listType map\`, \`@rule self.min <= self.max\`. A \`number\` needs \`@int32\`, \`@int64\` or \`@double\`. A tag that does not
  exist, or is in the wrong place, is an error that names the right one.
- \`src/controllers/KIND.ts\`: \`desired\` answers an object's children and status; it is a pure function of what it is given, so it
  is tested without a cluster. Children are applied, owned and pruned by the framework: do not create or delete them yourself.
- \`src/main.ts\`: names all controllers and webhooks.
- \`config/samples\`: objects to try; they are examples in chart and bundle, too.
- Everything else in \`config/\`, and \`schemas/\`: generated. Change the types, not these files. A file whose first line
  ("Generated by …") is deleted is yours and left alone from then on.

## Rules

- Permissions follow from \`for\`, \`owns\` and the typed calls of a controller; there is no YAML to write. What is missing shows in
  \`npm run dev\` as KW7604 with the tag to paste, because the operator runs under its own account there.
- A reconcile can run at any time, again, and after a crash in the middle: derive everything from the object, keep nothing in
  variables of the module, and never wait in it for something to happen: the framework calls again when it has.
- Released kinds (\`config/crd/released\`) must not break: \`generate\` says what would (KW7403). Put it into a new version.
- Status is for what was seen, spec for what is wanted; a controller writes only the former.
`;
