import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorOutput } from './operator-output.ts';

let root: string;
let source: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kw log-'));
  source = join(root, 'site.ts');
  writeFileSync(source, 'first();\n\tconst x = nothing.at(1);\nlast();\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function outputOf(text: string | readonly object[], full = false): string {
  let written = '';
  const output = new OperatorOutput({ root, full, colors: false, write: (line) => (written += line) });
  output.take(typeof text === 'string' ? text : text.map((each) => `${JSON.stringify(each)}\n`).join(''));
  output.end();
  return written;
}

const about = { controller: 'site', controllerKind: 'Site', namespace: 'default', name: 'a' };
const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1, 12, 0, 0, ms)).toISOString();
const end = (more: object, ms = 0) => ({
  level: 'debug',
  ts: at(ms),
  msg: 'reconciled',
  event: 'reconcile.ended',
  failed: false,
  ...about,
  because: ['Site default/a was created'],
  wrote: [],
  tookMs: 2.5,
  ...more,
});
const statusWrite = {
  action: 'changed',
  apiVersion: 'example.com/v1',
  kind: 'Site',
  namespace: 'default',
  name: 'a',
  subresource: 'status',
};
const stack = () =>
  `TypeError: broken\n    at reconcile (${source}:2:12)\n    at run (/elsewhere/node_modules/x/i.js:1:1)\n    at node:internal/a:3:4`;
/** Returns the expected stack, indented to the column. */
const framed = (column: number): string =>
  [
    'site.ts:2:12',
    '  1 | first();',
    '  2 | \tconst x = nothing.at(1);',
    '    | \t          ^',
    '  3 | last();',
    '… 2 library frames hidden; use --full-stacks to show them',
  ]
    .map((line) => `${' '.repeat(column)}${line}`)
    .join('\n');
const failure = (ms: number, id: string, error = 'broken') => [
  {
    level: 'error',
    ts: at(ms),
    msg: 'Reconciler error',
    event: 'reconcile.failed',
    ...about,
    reconcileID: id,
    error,
    stacktrace: stack(),
  },
  end({ failed: true, reconcileID: id, nextInMs: 5 }, ms),
];

describe('OperatorOutput', () => {
  it('reports why a reconcile ran, what it wrote and when it runs again', () => {
    const wrote = [
      { action: 'created', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a-text' },
      { action: 'unchanged', apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'a' },
      { action: 'deleted', apiVersion: 'v1', kind: 'Pod', namespace: 'other', name: 'p' },
      statusWrite,
    ];
    expect(
      outputOf([end({ wrote, nextInMs: 90_000 })]),
    ).toBe(`12:00:00.000 ▶ Site default/a  because Site default/a was created
               + ConfigMap a-text   - Pod other/p   ~ its status
             ✓ 2.5 ms; next run in 1.5 min
`);
    expect(outputOf([end({})])).toBe(
      '12:00:00.000 ▶ Site default/a  because Site default/a was created: nothing to write, 2.5 ms\n',
    );
  });

  it('shows the lines of code that caused an error and folds library frames', () => {
    expect(outputOf(failure(0, 'one'))).toBe(`12:00:00.000 ✗ Site default/a  because Site default/a was created
             TypeError: broken
${framed(13)}
             retry in 5 ms
`);
    const full = outputOf(failure(0, 'one').slice(0, 2), true);
    expect(full).toContain('             at run (/elsewhere/node_modules/x/i.js:1:1)\n');
    expect(full).not.toContain('folded');
  });

  it('shows an expected conflict in one line', () => {
    const error = 'Operation cannot be fulfilled on sites.example.com "a": the object has been modified';
    const msg = 'the object has changed; retrying';
    expect(outputOf([{ level: 'info', ts: at(0), msg, event: 'reconcile.conflict', ...about, error }])).toBe(
      `12:00:00.000 · Site default/a ${msg}: ${error}\n`,
    );
  });

  it('shows failures even if the operator does not log the ends of reconciles', async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const output = new OperatorOutput({
      root,
      full: false,
      colors: false,
      clock,
      write: (line) => lines.push(line.trimEnd()),
    });
    const failed = (ms: number) => output.take(`${JSON.stringify(failure(ms, `id ${ms}`)[0])}\n`);
    failed(0);
    expect(lines).toEqual([]);
    await clock.advance(500);
    expect(`${lines.splice(0).join('\n')}\n`).toBe(`12:00:00.000 ✗ Site default/a
             TypeError: broken
${framed(13)}
`);
    for (const ms of [10, 20, 1_500]) failed(ms);
    expect(lines.splice(0)).toEqual(['12:00:01.500 ✗ Site default/a  still failing after 4 attempts: broken']);
    // The log's level changed.
    output.take(`${JSON.stringify(end({}))}\n`);
    lines.length = 0;
    output.take(
      failure(2_000, 'last')
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    );
    expect(lines).toEqual([
      expect.stringMatching(/because/),
      expect.stringMatching(/TypeError/),
      ...Array(6).fill(expect.anything()),
      '             retry in 5 ms',
    ]);
  });

  it('shows failures whose end was cut off by the end of the log', () => {
    expect(outputOf(failure(0, 'one').slice(0, 1))).toContain('TypeError: broken');
    const reports: object[] = [];
    const output = new OperatorOutput({
      root,
      full: false,
      colors: false,
      write: () => {},
      report: (each) => reports.push(each),
    });
    output.take(`${JSON.stringify(failure(0, 'one')[0])}\n`);
    output.end();
    expect(reports).toMatchObject([{ log: { event: 'reconcile.failed', error: 'broken', object: 'Site default/a' } }]);
  });

  it('holds a bounded number of failures', () => {
    const lines: string[] = [];
    const output = new OperatorOutput({
      root,
      full: false,
      colors: false,
      clock: new VirtualClock(),
      write: (line) => lines.push(line),
    });
    for (let i = 0; i < 1_001; i++) {
      const [first] = failure(0, `id ${i}`);
      output.take(`${JSON.stringify({ ...first, name: `n${i}` })}\n`);
    }
    expect(lines.filter((line) => line.includes('✗'))).toEqual([expect.stringContaining('Site default/n0')]);
  });

  it('reports a repeated failure once, then periodically, and reports the recovery', () => {
    const records = [0, 10, 20, 1_500].flatMap((ms) => failure(ms, `id ${ms}`));
    const lines = outputOf([...records, end({}, 1_600)]).split('\n');
    expect(lines.filter((line) => line.includes('TypeError'))).toHaveLength(1);
    expect(lines.slice(-3)).toEqual([
      '12:00:01.500 ✗ Site default/a  still failing after 4 attempts: broken; retry in 5 ms',
      '12:00:01.600 ▶ Site default/a  because Site default/a was created: nothing to write, 2.5 ms; recovered after 4 failures',
      '',
    ]);
  });

  it('shortens a repeated failure in the middle, because its end says why', () => {
    const error = `cannot create Deployment web: ${'the path of a field, '.repeat(20)}spec.replicas must be at least 0`;
    const records = [0, 1_500].flatMap((ms) => failure(ms, `id ${ms}`, error));
    expect(outputOf(records)).toMatch(
      /still failing .*: cannot create Deployment web: .* … .*spec\.replicas must be at least 0; retry/,
    );
  });

  it('reports the code of a hot loop, then only its rate', () => {
    const msg = 'this reconcile triggers itself: it writes a different value each time';
    const found = { level: 'warn', ts: at(0), msg, ...about, object: 'Site default/a', code: 'KW3050' };
    const loop = { ...found, path: '.status.seen', times: 6 };
    const own = {
      because: ['Site default/a changed (own write)'],
      selfTriggered: true,
      wrote: [statusWrite],
    };
    const turns = Array.from({ length: 400 }, (_, i) => end(own, i * 30));
    const admitted = {
      level: 'debug',
      ts: at(6_000),
      msg: 'wrote response',
      event: 'webhook.responded',
      webhookKind: 'Site',
      namespace: 'default',
    };
    turns.splice(200, 0, { ...end(own, 6_000), ...admitted, name: 'a', allowed: true } as never);
    const lines = outputOf([loop, ...turns])
      .trimEnd()
      .split('\n');
    const every = 'each reconcile changes its .status.seen, which triggers the next reconcile';
    expect(lines).toEqual([
      '12:00:00.000 ! Site default/a  KW3050 hot loop: its .status.seen changed 6 times, each time triggered by the previous write; derive the value only from the observed state',
      `12:00:05.010 ! Site default/a  KW3050 34 reconciles a second: ${every}`,
      `12:00:10.020 ! Site default/a  KW3050 33 reconciles a second: ${every}`,
    ]);
  });

  it('reports other changes during a hot loop, and reconciles after it has ended', () => {
    const path = '.data.text';
    const loop = { level: 'warn', ts: at(0), msg: 'x', ...about, object: 'Page b', path, times: 5, code: 'KW3050' };
    const own = { because: ['Page b changed (own write)'] };
    const other = { ...own, because: ['Site default/a changed to generation 2'] };
    const lines = outputOf([loop, end(own, 10), end(other, 20), end(own, 30), end(own, 4_000), end(own, 4_010)]).split(
      '\n',
    );
    expect(lines[0]).toContain('hot loop: .data.text of Page b changed 5 times');
    expect(lines.slice(1, -1)).toEqual([
      '12:00:00.020 ▶ Site default/a  because Site default/a changed to generation 2: nothing to write, 2.5 ms',
      '12:00:04.000 ▶ Site default/a  because Page b changed (own write): nothing to write, 2.5 ms',
      '12:00:04.010 ▶ Site default/a  because Page b changed (own write): nothing to write, 2.5 ms',
    ]);
  });

  it('reports who reverts a write', () => {
    const conflict = { level: 'warn', ts: at(0), msg: 'x', ...about, object: 'Page b', path: '.data', times: 5 };
    expect(outputOf([{ ...conflict, code: 'KW3051', managers: ['kubectl-edit (Update)'] }])).toBe(
      '12:00:00.000 ! Site default/a  KW3051 write conflict: .data of Page b was reset 5 times because kubectl-edit (Update) also changes the field; let only one of the two writers own the field\n',
    );
    expect(outputOf([{ ...conflict, code: 'KW3052' }])).toContain(
      'KW3052 ineffective writes: 5 writes in a row changed nothing',
    );
  });

  it('reports each webhook response on one line', () => {
    const asked = {
      level: 'debug',
      ts: at(0),
      logger: 'admission',
      webhookKind: 'Site',
      namespace: 'default',
      name: 'a',
    };
    const answer = { ...asked, msg: 'wrote response', event: 'webhook.responded', operation: 'CREATE', allowed: true };
    const server = { level: 'info', ts: at(0), logger: 'webhook' };
    const records = [
      { ...server, msg: 'Registering webhook', event: 'webhook.registered', path: '/mutate' },
      { ...server, msg: 'Registering webhook', event: 'webhook.registered', path: '/validate' },
      { ...server, msg: 'Starting webhook server', event: 'webhook-server.starting' },
      { ...server, msg: 'Serving webhook server', event: 'webhook-server.serving', host: '127.0.0.1', port: 1 },
      { ...asked, msg: 'received request', event: 'webhook.requested', Site: { name: 'a' }, resource: {} },
      { ...answer, webhook: 'mutating', changed: ['.spec.host', '.spec.ports[0]'] },
      { ...answer, webhook: 'mutating' },
      { ...answer, webhook: 'validating' },
      {
        ...answer,
        webhook: 'validating',
        operation: 'UPDATE',
        allowed: false,
        code: 422,
        message: 'Site.example.com "a" is invalid: spec.host: is taken',
      },
    ];
    expect(outputOf(records)).toBe(`12:00:00.000 ✓ serving webhooks: /mutate, /validate
12:00:00.000 · Site default/a  create: defaulted .spec.host, .spec.ports[0]
12:00:00.000 · Site default/a  create: no defaults needed
12:00:00.000 · Site default/a  create: admitted
12:00:00.000 ! Site default/a  update: rejected: spec.host: is taken
`);
  });

  it('shows the missing rule of a denied call, ready to paste', () => {
    const error =
      'secrets is forbidden: User "system:serviceaccount:a:b" cannot list resource "secrets" in API group "" in the namespace "c"';
    const [failed, ended] = failure(0, 'one');
    const denied = { ...failed, error, stacktrace: `StatusError: ${error}` };
    expect(outputOf([denied, ended!])).toBe(`12:00:00.000 ✗ Site default/a  because Site default/a was created
             KW7604 the operator is not allowed to list secrets: its roles do not grant this permission
             declare the kind where the generator finds it (owns, watches, typed client calls), or add this comment above runOperator in src/main.ts
             (kubewright rbac --fix does this):
             /** @rbac groups=core resources=secrets verbs=list */
             retry in 5 ms
`);
  });

  it('shows the code, the cause and the remedy of an error that has them', () => {
    const [failed, ended] = failure(0, 'one');
    const text = { code: 'KW3044', what: 'writes are blocked', why: 'no endpoints', remedy: 'start the operator' };
    const error = 'writes are blocked: no endpoints; start the operator';
    const coded = { ...failed, ...text, error, stacktrace: `Error: ${error}` };
    expect(outputOf([coded, ended!])).toBe(`12:00:00.000 ✗ Site default/a  because Site default/a was created
             KW3044 writes are blocked
             why: no endpoints
             fix: start the operator
             retry in 5 ms
`);
  });

  it('recognizes records by their event id, whatever the message says', () => {
    const [failed, ended] = failure(0, 'one');
    const reworded = [failed, ended].map((record) => ({ ...record, msg: 'other words' }));
    expect(outputOf(reworded)).toBe(outputOf([failed!, ended!]));
    const own = { level: 'info', ts: at(0), ...about, msg: 'created the world' };
    expect(outputOf([own])).toBe('12:00:00.000 · Site default/a created the world\n');
  });

  it('grants list along with watch', () => {
    const error =
      'deployments.apps is forbidden: User "a" cannot watch resource "deployments" in API group "apps" at the cluster scope';
    const msg = 'not allowed to list and watch this kind; grant list and watch';
    const printed = outputOf([{ level: 'error', ts: at(0), msg, error, stacktrace: `StatusError: ${error}` }]);
    expect(printed).toContain(
      'KW7604 the operator is not allowed to watch deployments of apps: its roles do not grant this permission\n',
    );
    expect(printed).toContain('/** @rbac groups=apps resources=deployments verbs=list;watch */\n');
  });

  it('shows the class of every error and omits unknown causes', () => {
    const [failed, ended] = failure(0, 'one');
    const lines = outputOf([
      { ...failed, error: 'boom', stacktrace: 'Error: boom' },
      { ...ended, because: [] },
    ]);
    expect(lines).toContain('✗ Site default/a\n             Error: boom\n');
    expect(outputOf([end({ because: [] })])).toBe('12:00:00.000 ▶ Site default/a  nothing to write, 2.5 ms\n');
  });

  it('writes one record per reconcile in JSON mode', () => {
    const printed: object[] = [];
    const report = (record: object): void => void printed.push(record);
    const output = new OperatorOutput({ root, full: false, colors: false, write: () => undefined, report });
    const wrote = [statusWrite];
    const starting = {
      level: 'info',
      ts: at(0),
      msg: 'starting workers',
      event: 'controller.started',
      controller: 'site',
    };
    for (const each of [starting, end({ wrote, nextInMs: 90_000 }), ...failure(10, 'one')])
      output.take(`${JSON.stringify(each)}\n`);
    output.take('hello\n');
    const reconcile = {
      controller: 'site',
      object: 'Site default/a',
      because: ['Site default/a was created'],
      ms: 2.5,
    };
    expect(printed).toEqual([
      { log: starting },
      { reconcile: { ts: at(0), ...reconcile, wrote, next: 90_000 } },
      { reconcile: { ts: at(10), ...reconcile, wrote: [], next: 5, error: { message: 'broken', stack: stack() } } },
      { output: 'hello' },
    ]);
  });

  it("shows an uncaught error the same way, instead of Node's output", () => {
    const text = `hello\n${source}:2\n\tconst x = nothing.at(1);\n\t          ^\n\n${stack()}\n\nNode.js v22.0.0\n`;
    expect(outputOf(text)).toBe(`hello

TypeError: broken
${framed(4)}

`);
  });

  it('passes other output through unchanged, even in pieces, and escapes control characters in values', () => {
    let written = '';
    const output = new OperatorOutput({ root, full: false, colors: false, write: (line) => (written += line) });
    for (const piece of ['{"level":"in', 'fo"} no\nto', '/be:1\nor']) output.take(piece);
    output.end();
    expect(written).toBe('{"level":"info"} no\nto/be:1\nor\n');
    const warning = { level: 'warn', ts: at(0), msg: 'odd\u001b[2J', ...about, note: 'a\nb', reconcileID: 'x' };
    expect(outputOf([warning])).toBe('12:00:00.000 ! Site default/a odd\\u001b[2J note=a\\nb\n');
  });
});
