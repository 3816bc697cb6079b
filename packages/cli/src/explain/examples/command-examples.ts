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
    cause: 'The kubeconfig cannot be read, or a field of it has the wrong form; here the server is no address.',
    fix: '# the message names the field: "server: https://10.0.0.1:6443", then\nKUBECONFIG=cluster.yaml kubewright install',
  },
  {
    code: 'KW2203',
    mistake: '# cluster.yaml: "exec: { command: cloud-login }"\nKUBECONFIG=cluster.yaml kubewright install',
    cause: 'The kubeconfig gets its credentials from a program that is not installed, or that failed.',
    fix: '# install the program that the message names, log in with it, then\nKUBECONFIG=cluster.yaml kubewright install',
  },
  {
    code: 'KW6601',
    mistake: '# deployment.yaml holds a Deployment\nkubewright import crd deployment.yaml',
    cause:
      'The file holds no CustomResourceDefinition of apiextensions.k8s.io/v1, or one that the API server would reject.',
    fix: 'kubewright import crd certificates.cert-manager.io --out src/certificate.ts',
  },
  {
    code: 'KW7001',
    mistake: 'kubewright generat',
    cause: 'There is no such command or flag, or a required one is missing.',
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
    cause:
      'The system does not let the command use a file or folder; here the folder for temporary files does not exist.',
    fix: 'TMPDIR=/tmp kubewright render config/samples/shop_v1_shop.yaml',
  },
  {
    code: 'KW7101',
    mistake: '# in a folder that belongs to no project\nkubewright generate',
    cause: 'This folder and those above have no package.json with a field "kubewright".',
    fix: 'cd shop\nkubewright generate',
  },
  {
    code: 'KW7102',
    mistake: 'kubewright create api --group shop --version v1 --kind shelf',
    cause: 'The name would be invalid in Kubernetes or in TypeScript; the message has the rule.',
    fix: 'kubewright create api --group shop --version v1 --kind Shelf',
  },
  {
    code: 'KW7103',
    mistake: '# in a script, which has no terminal\nkubewright init my-operator',
    cause: 'The command needs an answer that no flag gave, and there is no terminal to ask on.',
    fix: 'kubewright init my-operator --domain example.com',
  },
  {
    code: 'KW7104',
    mistake: '# website/package.json is that of a web site\nkubewright init website --yes',
    cause: 'The command would have to overwrite a file that you wrote, and never does.',
    fix: 'kubewright init website-operator --yes',
  },
  {
    code: 'KW7105',
    mistake: 'kubewright create webhook --group shop --version v1 --kind Shopp --validation',
    cause:
      'The sources define no kind of this group, version and name. For --conversion, the kind needs a second version.',
    fix: 'kubewright create webhook --group shop --version v1 --kind Shop --validation',
  },
  {
    code: 'KW7201',
    mistake: 'kubewright cluster kubeconfig',
    cause: 'No embedded cluster runs in this folder; each folder or project has its own.',
    fix: 'kubewright cluster up --background\nkubewright cluster kubeconfig',
  },
  {
    code: 'KW7301',
    mistake: '# cluster.yaml: "server: https://127.0.0.1:9"\nKUBECONFIG=cluster.yaml kubewright install',
    cause:
      'Nothing answers at the address in the kubeconfig: the cluster is stopped, or a network or proxy is in between.',
    fix: 'KUBECONFIG=cluster.yaml kubewright doctor',
  },
  {
    code: 'KW7401',
    mistake: '# src/api/v1/shop.ts: "readonly size: number;"\nkubewright generate',
    cause: 'The types have mistakes, each reported above with its own code. Nothing was written.',
    fix: '# correct the types: "/** @int32 */ readonly size: number;", then\nkubewright generate',
  },
  {
    code: 'KW7402',
    mistake: '# after a change of a type\nkubewright generate --check',
    cause: 'The manifests in config/ were not generated again after the types changed, or were edited by hand.',
    fix: 'kubewright generate\nkubewright generate --check',
  },
  {
    code: 'KW7403',
    mistake: '# after a release with @maxLength 1024 in the type: @maxLength 5\nkubewright generate',
    cause: 'Objects that were valid in the released version would no longer be.',
    fix: '# a new version of the kind can differ\nkubewright create api --group shop --version v2 --kind Shop',
  },
  {
    code: 'KW7404',
    mistake: '# after a release, with a new field in the type\nkubewright build --release',
    cause: 'This version in package.json was released already, with other CRDs.',
    fix: 'npm version minor --no-git-tag-version\nkubewright build --release',
  },
  {
    code: 'KW7501',
    mistake: '# src/main.ts: "import { runOperater } from \'./missing.ts\';"\nkubewright build',
    cause: 'The bundler cannot read the program: a syntax error, or an import that does not exist.',
    fix: '# correct the line that the message shows, then\nkubewright build',
  },
  {
    code: 'KW7503',
    mistake: 'kubewright deploy',
    cause: 'The generated manifests name the placeholder controller:latest, which no registry has.',
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
    cause: 'There is no such file, the address does not answer, or the cluster has no such kind.',
    fix: 'kubewright import crd https://example.com/certificates.yaml --out src/certificate.ts',
  },
];
