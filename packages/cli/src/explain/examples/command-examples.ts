import type { CodeExample } from './code-example.ts';

/** Commands that fail with an error code. Lines with `#` describe the situation. */
export const commandExamples: readonly CodeExample[] = [
  {
    code: 'KW2201',
    mistake: 'kubewright install',
    cause:
      'No cluster is configured: KUBECONFIG is not set, ~/.kube/config does not exist, and no embedded cluster runs here.',
    fix: 'kubewright cluster up --background\nkubewright install',
  },
  {
    code: 'KW2202',
    mistake: '# cluster.yaml: "server: my cluster"\nKUBECONFIG=cluster.yaml kubewright install',
    cause: 'The kubeconfig cannot be read, or one of its fields is malformed; here, the server is not a URL.',
    fix: '# fix the field named in the message: "server: https://10.0.0.1:6443", then\nKUBECONFIG=cluster.yaml kubewright install',
  },
  {
    code: 'KW2203',
    mistake: '# cluster.yaml: "exec: { command: cloud-login }"\nKUBECONFIG=cluster.yaml kubewright install',
    cause: 'The kubeconfig gets credentials from a program (exec plugin) that is not installed or that failed.',
    fix: '# install the program named in the message, log in with it, then\nKUBECONFIG=cluster.yaml kubewright install',
  },
  {
    code: 'KW5502',
    mistake: '# a cluster already runs in this folder\nkubewright cluster up',
    cause: 'The state folder of the cluster cannot be used; here, a running cluster has locked the folder.',
    fix: 'kubewright cluster down\nkubewright cluster up',
  },
  {
    code: 'KW6601',
    mistake: '# deployment.yaml contains a Deployment\nkubewright import crd deployment.yaml',
    cause:
      'The file contains no CustomResourceDefinition of apiextensions.k8s.io/v1, or one that the API server would reject.',
    fix: 'kubewright import crd certificates.cert-manager.io --out src/certificate.ts',
  },
  {
    code: 'KW7001',
    mistake: 'kubewright generat',
    cause: 'The command or flag does not exist, or a required flag is missing.',
    fix: 'kubewright generate --help',
  },
  {
    code: 'KW7003',
    mistake: 'kubewright explain KW9999',
    cause: 'The code does not exist in this version.',
    fix: 'kubewright explain',
  },
  {
    code: 'KW7011',
    mistake: 'TMPDIR=/nowhere kubewright render config/samples/shop_v1_shop.yaml',
    cause: 'The command cannot use a file or folder; here, the folder for temporary files does not exist.',
    fix: 'TMPDIR=/tmp kubewright render config/samples/shop_v1_shop.yaml',
  },
  {
    code: 'KW7101',
    mistake: '# in a folder outside any project\nkubewright generate',
    cause: 'This folder and its parents have no package.json with the field "kubewright".',
    fix: 'cd shop\nkubewright generate',
  },
  {
    code: 'KW7102',
    mistake: 'kubewright create api --group shop --version v1 --kind shelf',
    cause: 'The name would be invalid in Kubernetes or TypeScript; the message contains the rule.',
    fix: 'kubewright create api --group shop --version v1 --kind Shelf',
  },
  {
    code: 'KW7103',
    mistake: '# in a script without a terminal\nkubewright init my-operator',
    cause: 'A required value was not passed as a flag, and there is no terminal on which to prompt for the value.',
    fix: 'kubewright init my-operator --domain example.com',
  },
  {
    code: 'KW7104',
    mistake: '# website/package.json belongs to a website\nkubewright init website --yes',
    cause: 'The command would overwrite a file that you wrote. Commands never overwrite such files.',
    fix: 'kubewright init website-operator --yes',
  },
  {
    code: 'KW7105',
    mistake: 'kubewright create webhook --group shop --version v1 --kind Shopp --validation',
    cause:
      'The sources define no kind with this group, version and name. For --conversion, the kind needs a second version.',
    fix: 'kubewright create webhook --group shop --version v1 --kind Shop --validation',
  },
  {
    code: 'KW7201',
    mistake: 'kubewright cluster kubeconfig',
    cause: 'No embedded cluster is running in this folder; each folder or project has its own.',
    fix: 'kubewright cluster up --background\nkubewright cluster kubeconfig',
  },
  {
    code: 'KW7301',
    mistake: '# cluster.yaml: "server: https://127.0.0.1:9"\nKUBECONFIG=cluster.yaml kubewright install',
    cause:
      'No server responds at the address in the kubeconfig: the cluster is stopped, or a network or proxy blocks it.',
    fix: 'KUBECONFIG=cluster.yaml kubewright doctor',
  },
  {
    code: 'KW7305',
    mistake: '# shop.yaml: "apiVersion: shop.example.com/v2", but the kind has only v1\nkubewright render shop.yaml',
    cause: 'The cluster does not serve this kind: its CRD is not installed, or apiVersion or kind is misspelled.',
    fix: '# edit the file: "apiVersion: shop.example.com/v1", then\nkubewright render shop.yaml',
  },
  {
    code: 'KW7401',
    mistake: '# src/api/v1/shop.ts: "readonly size: number;"\nkubewright generate',
    cause: 'The types have errors, each reported above with its own code. Nothing was written.',
    fix: '# fix the types: "/** @int32 */ readonly size: number;", then\nkubewright generate',
  },
  {
    code: 'KW7402',
    mistake: '# after a change of a type\nkubewright generate --check',
    cause: 'The manifests in config/ were not regenerated after the types changed, or were edited manually.',
    fix: 'kubewright generate\nkubewright generate --check',
  },
  {
    code: 'KW7403',
    mistake: '# after a release with @maxLength 1024 in the type: @maxLength 5\nkubewright generate',
    cause: 'Objects that were valid in the released version would become invalid.',
    fix: '# a new version of the kind can differ\nkubewright create api --group shop --version v2 --kind Shop',
  },
  {
    code: 'KW7404',
    mistake: '# after a release, with a new field in the type\nkubewright build --release',
    cause: 'The version in package.json was already released with different CRDs.',
    fix: 'npm version minor --no-git-tag-version\nkubewright build --release',
  },
  {
    code: 'KW7501',
    mistake: '# src/main.ts: "import { runOperater } from \'./missing.ts\';"\nkubewright build --no-type-check',
    cause:
      'The bundler cannot read the program: a syntax error, or an import that does not exist. With the type check, KW7507 reports it.',
    fix: '# fix the line that the message shows, then\nkubewright build',
  },
  {
    code: 'KW7502',
    mistake:
      '# src/main.ts: "throw new Error(\'SHOP_URL is not set\');"\nkubewright render config/samples/shop_v1_shop.yaml',
    cause:
      'The operator threw an error that nothing caught, called process.exit, or was killed. The last lines of its output contain the reason.',
    fix: '# fix the line that the message shows, then\nkubewright render config/samples/shop_v1_shop.yaml',
  },
  {
    code: 'KW7503',
    mistake: 'kubewright deploy',
    cause: 'The generated manifests contain the placeholder image controller:latest, which does not exist.',
    fix: 'kubewright deploy --image registry.example.com/shop:0.1.0',
  },
  {
    code: 'KW7504',
    mistake: '# config/default/kustomization.yaml: "configMapGenerator: …"\nkubewright build',
    cause:
      'Kubewright renders resources, namespace, namePrefix, images and JSON patches; other parts of kustomize need kubectl.',
    fix: 'kubectl apply --server-side -k config/default',
  },
  {
    code: 'KW7601',
    mistake: 'kubewright import crd certificates.yaml',
    cause: 'The file does not exist, the URL is unreachable, or the cluster has no such CRD.',
    fix: 'kubewright import crd https://example.com/certificates.yaml --out src/certificate.ts',
  },
];
