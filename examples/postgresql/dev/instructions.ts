import { relative } from 'node:path';

/** What the texts depend on. */
export interface Surroundings {
  readonly kubeconfig: string;
  /** The example's own folder. */
  readonly project: string;
  /** Where the user typed `npm start`: printed paths are valid from there. */
  readonly workingDirectory: string;
  readonly hasKubectl: boolean;
  readonly hasSample: boolean;
}

/** What to try next, in a second terminal. */
export function instructions({ kubeconfig, project, workingDirectory, hasKubectl, hasSample }: Surroundings): string {
  const manifest = (name: string): string => {
    const path = relative(workingDirectory, `${project}/config/samples/${name}`);
    return shellQuote(path === '' || path.startsWith('..') ? `${project}/config/samples/${name}` : path);
  };
  const create = `kubectl apply -f ${manifest('database_v1_postgresql.yaml')}`;
  const login = `kubectl get secret postgresql-sample-credentials -o jsonpath='{.data.password}' | base64 -d; echo`;
  const lines = [
    'Try it from a second terminal:',
    '',
    `  export KUBECONFIG=${shellQuote(kubeconfig)}`,
    `  (PowerShell: $env:KUBECONFIG = '${kubeconfig.replaceAll("'", "''")}')`,
    ...(hasKubectl ? [] : ['  kubectl is not on the PATH: https://kubernetes.io/docs/tasks/tools/ says how to get it']),
    '',
    ...(hasSample ? [] : ['  kubectl get postgresql                          # none yet', `  ${create}`]),
    '  kubectl get pg -w                               # PHASE goes from pending to up',
    '  kubectl describe postgresql postgresql-sample   # status and events',
    "  kubectl logs postgresql-sample                  # PostgreSQL's own log",
    `  ${hasSample ? `kubectl apply -f ${manifest('database_v1_postgresql_mydb.yaml')}` : 'kubectl get pod'}`,
    '',
    '  Log in:',
    `    ${login}`,
    "    psql -U postgres -h $(kubectl get pod postgresql-sample -o jsonpath='{.status.podIP}')",
    '',
    '  Delete the pod and watch the operator bring the database back:',
    '    kubectl delete pod postgresql-sample && kubectl get pod -w',
    '',
    '  Delete the database; the finalizer lets it go when its pod is gone:',
    '    kubectl delete postgresql postgresql-sample',
    '',
    'Ctrl-C stops everything.',
  ];
  return `${lines.join('\n')}\n`;
}

/** Quotes what a POSIX shell would not take as one word. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
