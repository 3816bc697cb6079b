import { version } from '../program/version.ts';
import type { Project } from '../project/find-project.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { workflowFiles } from './workflow-files.ts';

type Names = Pick<Project, 'name' | 'domain'>;

/** Returns the files of a new project without kinds. The files belong to the user after they are created. */
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
const devDependencies = {
  '@kubewright/testing': version,
  '@types/node': '^22.0.0',
  kubewright: version,
  typescript: '^6.0.0',
  vitest: '^4.1.0',
};

/** Versions of the packages that new and upgraded projects depend on. */
export const packageVersions: Readonly<Record<string, string>> = {
  ...dependencies,
  '@kubewright/apiserver': version,
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
      test: 'vitest run --passWithNoTests',
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

A Kubernetes operator in TypeScript, built with Kubewright.

\`\`\`
npm install
npm run dev         # an embedded cluster with the operator, restarted on save; press Ctrl-C to stop both
npm test
npm run generate    # generates the manifests in config/ from the types in src/
npm run build       # builds dist/: the operator as one file, a Dockerfile and install.yaml
npm run deploy -- --image registry.example.com/${name}:0.1.0
\`\`\`

| folder | contents |
|---|---|
| \`src/api\` | the kinds: CRDs are generated from these types |
| \`src/controllers\` | the controllers, which reconcile the kinds |
| \`src/webhooks\` | defaulting, validation and conversion webhooks: \`npx kubewright create webhook\` |
| \`config/samples\` | sample objects |
| other folders in \`config\` | generated; to keep your own changes to a file, delete its first line |
`;
}

const agents = `# Working on this operator

This operator is built with Kubewright: CRDs are generated from TypeScript types, controllers are functions, and one process runs both the
operator and an embedded Kubernetes cluster. Only a release needs Docker, kubectl or a real cluster.

## Commands

| command | purpose |
|---|---|
| \`npm run dev -- --ci\` | starts a cluster and the operator, applies \`config/samples\`, waits until the samples are ready, then exits: **run this to check that the operator works** |
| \`npm run typecheck && npm test\` | checks types and runs the tests; both take seconds |
| \`npm run generate\` | generates \`config/\` and \`schemas/\` from the types; run it after every change of a type, and commit the generated files with the type |
| \`npx kubewright create api --group G --version v1 --kind K\` | adds a kind with its controller |
| \`npx kubewright create webhook --group G --version v1 --kind K --validation\` | adds a webhook |
| \`npx kubewright explain KW7301\` | explains an error code; every error has a code and a fix, except errors in your own code |
| any \`kubewright\` command with \`--json\` | prints JSON records, one object per line |

## Where things are

- \`src/api/VERSION/KIND.ts\`: a kind. Constraints are tags in comments: \`@minLength 1\`, \`@maximum 10\`, \`@default 3\`,
  \`@listType map\`, \`@rule self.min <= self.max\`. A \`number\` needs \`@int32\`, \`@int64\` or \`@double\`. An unknown
  or misplaced tag is an error that suggests the right tag.
- \`src/controllers/KIND.ts\`: \`desired\` returns the children and the status of an object; it is a pure function, so you can test it
  without a cluster. The framework applies, owns and prunes the children: do not create or delete them yourself.
- \`src/controllers/KIND.test.ts\`: its tests, with \`@kubewright/testing\`: \`reconcileOnce\` for one reconcile in memory,
  \`TestEnvironment\`, \`TestOperator\` and \`eventually\` for a cluster.
- \`src/main.ts\`: lists all controllers and webhooks.
- \`config/samples\`: sample objects; the chart and the bundle include them as examples.
- Everything else in \`config/\`, and \`schemas/\`: generated. Change the types, not these files. To keep your own
  changes to a file, delete its first line ("Generated by …"); the file is then never overwritten.

## Rules

- Permissions are derived from \`for\`, \`owns\` and the typed calls in a controller; you write no YAML. \`npm run dev\` runs the operator
  under its own service account, and reports a missing permission as KW7604 with the tag to paste.
- A reconcile can run at any time, repeatedly, and after a crash: derive everything from the object, keep no state in module
  variables, and do not wait inside a reconcile: the framework reconciles again when an object changes.
- Released kinds (\`config/crd/released\`) must stay compatible: \`generate\` rejects breaking changes (KW7403). Make them in a new version.
- The spec is the desired state, the status the observed state; a controller writes only the status.
`;
