import { isAbsolute, join, relative } from 'node:path';

/** Paths and programs that the instructions mention. */
export interface InstructionFacts {
  readonly kubeconfig: string;
  /** The example's own folder. */
  readonly project: string;
  /** The folder where the user typed `npm start`. Printed paths are relative to it. */
  readonly workingDirectory: string;
  readonly hasKubectl: boolean;
  readonly hasPsql: boolean;
  readonly hasSample: boolean;
  /** True if pods have their own network, so that this machine reaches them at the address in an annotation. */
  readonly isIsolated: boolean;
}

/** Column where comments begin. */
const commentColumn = 50;

/** Returns the commands to try next in a second terminal. */
export function instructions(facts: InstructionFacts): string {
  const { kubeconfig, hasKubectl, hasPsql, hasSample, isIsolated } = facts;
  const address = isIsolated ? '.metadata.annotations.kubewright\\.dev/host-address' : '.status.podIP';
  const sample = applyLine(facts, 'database_v1_postgresql.yaml');
  const another = applyLine(facts, 'database_v1_postgresql_mydb.yaml');
  const lines = [
    'Try it from a second terminal:',
    '',
    `  export KUBECONFIG=${shellQuote(kubeconfig)}`,
    `  # PowerShell: $env:KUBECONFIG = '${kubeconfig.replaceAll("'", "''")}'`,
    ...(hasKubectl ? [] : ['  # kubectl is not on the PATH; install it: https://kubernetes.io/docs/tasks/tools/']),
    '',
    ...(hasSample ? [] : [commented('kubectl get postgresql', 'none yet'), `  ${sample}`]),
    commented('kubectl get pod', 'one pod for each database'),
    commented('kubectl get pg -w', 'PHASE changes from pending to up; Ctrl-C stops it'),
    commented('kubectl describe postgresql postgresql-sample', 'status, then events'),
    commented('kubectl logs postgresql-sample', "PostgreSQL's own log"),
    ...(hasSample ? [`  ${another}`] : []),
    '',
    'Log in with the password from its Secret:',
    '',
    "  PGPASSWORD=$(kubectl get secret postgresql-sample-credentials -o jsonpath='{.data.password}' | base64 -d) \\",
    `    psql -U postgres -h $(kubectl get pod postgresql-sample -o jsonpath='{${address}}')`,
    ...(hasPsql ? [] : ['  # psql is not on the PATH: any other PostgreSQL client works, too']),
    '',
    'Delete the pod; the operator recreates it (with an empty database, because this sample has no volume):',
    '',
    '  kubectl delete pod postgresql-sample',
    '  kubectl get pod',
    '',
    'Delete the database; its finalizer waits until the pod is deleted:',
    '',
    '  kubectl delete postgresql postgresql-sample',
    '',
    'Ctrl-C here stops everything.',
  ];
  return `${lines.join('\n')}\n`;
}

function commented(command: string, comment: string): string {
  return `  ${command.padEnd(commentColumn - 2)}# ${comment}`;
}

function applyLine({ project, workingDirectory }: InstructionFacts, name: string): string {
  const path = join(project, 'config', 'samples', name);
  const short = relative(workingDirectory, path);
  return `kubectl apply -f ${shellQuote(short.startsWith('..') || isAbsolute(short) ? path : short)}`;
}

/** Quotes text that a POSIX shell would not read as one word. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
