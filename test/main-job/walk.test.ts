import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, repository } from './repository.ts';
import { Started } from './started.ts';
import { isMissing, type ShellResult, userShell } from './user-shell.ts';

// The timeouts only bound the waits for real programs on a shared machine.
vi.setConfig({ testTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), 'kw-walk-'));
const samples = join(repository, 'examples', 'postgresql', 'config', 'samples');
let started: Started;
let sh: (line: string) => ShellResult;

/** Runs a line, which must succeed, and returns its output. */
function run(line: string): string {
  const { status, stdout, stderr } = sh(line);
  expect(status, `${line}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

beforeAll(async () => {
  await build();
  // Started in a subfolder, which npm reports in INIT_CWD.
  started = new Started({ cwd: folder, env: { INIT_CWD: join(repository, 'examples') } });
  await started.ready();
  const exported = started.instructions.find((line) => line.trim().startsWith('export KUBECONFIG=')) ?? 'false';
  const shell = userShell(join(repository, 'examples'));
  sh = (line) => shell(`${exported.trim()}\n${line}`);
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('the output of npm start', () => {
  it('shows each step with its time, in order, up to the answer of a query', () => {
    const steps = started.output.split('\n').slice(0, 6);
    const seconds = steps.map((line) => Number(/^ *(\d+\.\d\d) s {2}/.exec(line)?.[1]));
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
    expect(steps.map((line) => line.slice(11))).toEqual([
      expect.stringMatching(/^cluster ready {5}https:\/\/127\.0\.0\.1:\d+$/),
      'kind installed    postgresqls.database.db.example.com',
      'object created    postgresql-sample',
      'pod scheduled     postgresql-sample on kubewright',
      expect.stringMatching(/^container started postgres:17 at 127\.\d+\.\d+\.\d+$/),
      expect.stringMatching(/^Pg Phase: up {6}PostgreSQL \d+/),
    ]);
  });

  it('first names the KUBECONFIG to export, for PowerShell too', () => {
    const [title, , exported, powerShell] = started.instructions;
    expect(title).toBe('Try it from a second terminal:');
    expect(exported).toBe(`  export KUBECONFIG=${started.kubeconfig}`);
    expect(powerShell).toBe(`  # PowerShell: $env:KUBECONFIG = '${started.kubeconfig}'`);
  });

  it('prints paths that are valid in the folder where it was started', () => {
    const paths = started.instructions.flatMap((line) => /apply -f (\S+)/.exec(line)?.[1] ?? []);
    expect(paths).toEqual(['postgresql/config/samples/database_v1_postgresql_mydb.yaml']);
    for (const path of paths) expect(statSync(join(repository, 'examples', path)).isFile()).toBe(true);
  });

  it('never prints the password, or colors without a terminal', () => {
    expect(started.output).not.toContain('Password123!');
    expect(started.output).not.toContain('\u001b');
  });

  it("continues with the operator's log, one line per event", async () => {
    await started.printed(/INFO .*postgresql default\/postgresql-sample created pod image=postgres:17\n/);
    await started.printed(/INFO .*postgresql default\/postgresql-sample phase changed phase=up\n/);
    expect(started.output).not.toMatch(/\n\s+at /);
  });

  it('keeps everything in .kubewright/, readable only by its owner', () => {
    expect(readdirSync(folder)).toEqual(['.kubewright']);
    const state = join(folder, '.kubewright');
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(state, '.gitignore'), 'utf8')).toBe('*\n');
    const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).map((name) => join(state, name));
    const open = files.filter((path) => statSync(path).isFile() && (statSync(path).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });
});

describe('containers', () => {
  it.skipIf(process.getuid?.() !== 0)('run as a user specific to their pod if root runs npm start', () => {
    const uids = execFileSync('ps', ['-A', '-o', 'uid=,args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(started.sandbox))
      .map((line) => Number(line.trim().split(' ')[0]));
    expect(new Set(uids).size).toBe(1);
    expect(uids[0]).toBeGreaterThanOrEqual(61_184);
  });
});

describe.skipIf(isMissing('kubectl'))('a second terminal', () => {
  const pgPhase = (name: string) => sh(`kubectl get pg ${name} -o jsonpath='{.status.pgPhase}'`).stdout;
  const podUid = (name: string) => sh(`kubectl get pod ${name} -o jsonpath='{.metadata.uid}'`).stdout;
  const password = `$(kubectl get secret postgresql-sample-credentials -o jsonpath='{.data.password}' | base64 -d)`;
  const host = (name: string) => `$(kubectl get pod ${name} -o jsonpath='{.status.podIP}')`;

  it('runs every printed kubectl line unchanged', () => {
    const lines = started.instructions.filter((line) => /^ {2}kubectl /.test(line));
    expect(lines.length).toBeGreaterThanOrEqual(7);
    for (const line of lines) {
      // Other tests cover deletions and applies; watches must be stopped.
      if (/ (delete|apply) /.test(line)) continue;
      if (/ -w\b/.test(line)) run(`timeout 2 ${line.replace(/#.*/, '')}; [ $? = 124 ]`);
      else run(line);
    }
  });

  it.skipIf(isMissing('psql'))('logs in with the printed line, and with no other password', () => {
    const { instructions } = started;
    const index = instructions.findIndex((line) => line.includes('PGPASSWORD='));
    const login = `${instructions[index]}\n${instructions[index + 1]}`;
    expect(run(`${login} -Atc 'SELECT current_user'`)).toBe('postgres\n');
    const refused = sh(`PGPASSWORD=wrong psql -U postgres -h ${host('postgresql-sample')} -c 'SELECT 1'`);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain('password authentication failed for user "postgres"');
  });

  it('shows kinds, columns, explanations and the URL of the article', () => {
    expect(run('kubectl get pg')).toMatch(
      /^NAME +PHASE +ACTIVE +AGE\npostgresql-sample +up +postgresql-sample +\d+s\n/,
    );
    expect(run('kubectl explain postgresql.spec')).toMatch(/defaultUser\t<string>[\s\S]*password\t<string> -required-/);
    expect(run('kubectl api-resources -o wide')).toMatch(
      /^postgresqls +pg +database\.db\.example\.com\/v1 +true +Postgresql/m,
    );
    expect(run('kubectl api-resources')).toMatch(/^pods +po +v1 +true +Pod$/m);
    expect(run('kubectl explain jobs')).toMatch(/^GROUP: +batch\nKIND: +Job\nVERSION: +v1\n/);
    expect(run('kubectl api-resources --api-group=batch')).toMatch(/^cronjobs[\s\S]*^jobs/m);
    expect(run('kubectl api-versions')).toMatch(/^database\.db\.example\.com\/v1$/m);
    const { stdout, stderr } = sh('kubectl get pods -n kube-system --v=6');
    expect(stdout).toMatch(/^kube-apiserver-kubewright +1\/1 +Running/m);
    expect(stderr).toMatch(/GET https:\/\/127\.0\.0\.1:\d+\/api\/v1\/namespaces\/kube-system\/pods\?limit=500 200 OK/);
  });

  it('describes the object with its phase, and events at the end', () => {
    const text = run('kubectl describe postgresql postgresql-sample');
    expect(text).toMatch(/^ {2}Pg Phase: +up$/m);
    expect(text).toMatch(/Events:\n.*\n.*\n +Normal +PodCreated .*Created pod postgresql-sample\n$/);
  });

  it("shows PostgreSQL's own log", () => {
    expect(run('kubectl logs postgresql-sample')).toContain('database system is ready to accept connections');
  });

  it('accepts both manifests in the article', async () => {
    run(`kubectl apply -f '${samples}/database_v1_postgresql.yaml'`);
    run(started.instructions.find((line) => line.includes('_mydb.yaml')) ?? 'false');
    await expect.poll(() => pgPhase('mydb'), { timeout: 30_000 }).toBe('up');
    const query = `PGPASSWORD=password123 psql -U pgowner -h ${host('mydb')} -Atc 'SELECT current_user'`;
    if (!isMissing('psql')) await expect.poll(() => sh(query).stdout, { timeout: 30_000 }).toBe('pgowner\n');
  });

  it('gets a new pod within 5 s of deleting it, and the database answers again', async () => {
    const uid = podUid('postgresql-sample');
    run('kubectl delete pod postgresql-sample');
    await expect.poll(() => podUid('postgresql-sample'), { timeout: 30_000 }).toMatch(new RegExp(`^(?!${uid}).+`));
    await expect.poll(() => pgPhase('postgresql-sample'), { timeout: 30_000 }).toBe('up');
    const query = `PGPASSWORD=${password} psql -U postgres -h ${host('postgresql-sample')} -Atc 'SELECT 1'`;
    if (!isMissing('psql')) await expect.poll(() => sh(query).stdout, { timeout: 30_000 }).toBe('1\n');
  });

  it('supports the rest of the walkthrough: accounts, deployments, events, the proxy', () => {
    expect(run('kubectl create serviceaccount test-dev')).toBe('serviceaccount/test-dev created\n');
    run('kubectl create deployment web --image=nginx --replicas=2');
    run('kubectl rollout status deployment/web --timeout=25s');
    // If nginx is installed, it runs instead.
    expect(run('kubectl logs deployment/web')).toMatch(/stand-in|listening on/);
    expect(run('kubectl get events')).toMatch(/SuccessfulCreate +replicaset\/web-/);
    run('kubectl delete deployment web');
    const proxy = 'kubectl proxy --port=0 > proxy.log & trap "kill $!" EXIT; cd .';
    const ask = `until grep -q Starting proxy.log; do :; done; curl -fsS "http://$(sed 's/.* on //' proxy.log)/api/v1"`;
    if (!isMissing('curl'))
      expect(run(`cd '${folder}'; ${proxy}; ${ask}`)).toMatch(/"name": "pods",[\s\S]*"kind": "Pod"/);
  });

  it('rejects a pod that runs as root, and names the flag that allows it', async () => {
    run(
      `kubectl run rooted --image=busybox --restart=Never --overrides='{"spec":{"securityContext":{"runAsUser":0}}}' -- true`,
    );
    const waiting = `kubectl get pod rooted -o jsonpath='{.status.containerStatuses[0].state.waiting.message}'`;
    if (process.getuid?.() === 0) {
      await expect.poll(() => sh(waiting).stdout, { timeout: 30_000 }).toContain('--allow-root-pods');
    }
    run('kubectl delete pod rooted --now');
  });

  it('leaks no password: not in events, logs, descriptions or the output of npm start', async () => {
    const canary = 'Canary-7f3a9c51e0';
    writeFileSync(
      join(folder, 'canary.json'),
      JSON.stringify({
        apiVersion: 'database.db.example.com/v1',
        kind: 'Postgresql',
        metadata: { name: 'canary' },
        spec: { password: canary },
      }),
    );
    run(`kubectl create -f '${folder}/canary.json'`);
    await expect.poll(() => pgPhase('canary'), { timeout: 30_000 }).toBe('up');
    // A failed login must not leak the password, either.
    const login = `psql -U postgres -h ${host('canary')} -c`;
    if (!isMissing('psql')) {
      expect(run(`PGPASSWORD=${canary} ${login} 'SELECT 1'`)).toContain('1 row');
      expect(sh(`PGPASSWORD=${canary}x ${login} 'SELECT 1'`).status).not.toBe(0);
    }
    await started.printed(/postgresql default\/canary phase changed phase=up\n/);
    const encoded = Buffer.from(canary).toString('base64');
    const places = {
      'npm start': started.output,
      events: run('kubectl get events -A -o yaml'),
      'pod logs': run('kubectl logs canary --all-containers'),
      pods: run('kubectl get pods -A -o yaml') + run('kubectl describe pod canary'),
      'status of the object': run(`kubectl get pg canary -o jsonpath='{.status}'`),
      notes: readNotes(join(folder, '.kubewright')),
    };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(0);
      for (const secret of [canary, encoded, 'Password123!']) expect(text.includes(secret), place).toBe(false);
    }
    // Only the Secret contains the password.
    expect(run(`kubectl get secret canary-credentials -o jsonpath='{.data.password}'`)).toBe(encoded);
    run('kubectl delete pg canary');
  });

  it('deletes the pod first, then the object', async () => {
    run('kubectl delete postgresql postgresql-sample mydb');
    expect(sh('kubectl get pod').stderr).toBe('No resources found in default namespace.\n');
    expect(sh('kubectl get postgresql').stderr).toBe('No resources found in default namespace.\n');
    await started.printed(/postgresql default\/postgresql-sample deleting the pod before its owner\n/);
  });
});

/** Returns all files of the state folder as one string. */
function readNotes(state: string): string {
  const names = readdirSync(state, { recursive: true, encoding: 'utf8' }).map((name) => join(state, name));
  const files = names.filter((path) => statSync(path).isFile());
  return files.map((path) => readFileSync(path, 'utf8')).join('\n');
}
