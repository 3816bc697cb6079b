import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorOutput } from './operator-output.ts';

let root: string;
let source: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kw story-'));
  source = join(root, 'site.ts');
  writeFileSync(source, 'first();\n\tconst x = nothing.at(1);\nlast();\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function tell(text: string | readonly object[], full = false): string {
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
  ...about,
  because: ['Site default/a was created'],
  wrote: [],
  tookMs: 2.5,
  ...more,
});
const stack = () =>
  `TypeError: broken\n    at reconcile (${source}:2:12)\n    at run (/elsewhere/node_modules/x/i.js:1:1)\n    at node:internal/a:3:4`;
/** The stack as it is shown, so far in. */
const framed = (column: number): string =>
  [
    'site.ts:2:12',
    '  1 | first();',
    '  2 | \tconst x = nothing.at(1);',
    '    | \t          ^',
    '  3 | last();',
    '… 2 frames of libraries; --full-stacks shows them',
  ]
    .map((line) => `${' '.repeat(column)}${line}`)
    .join('\n');
const failure = (ms: number, id: string) => [
  {
    level: 'error',
    ts: at(ms),
    msg: 'Reconciler error',
    ...about,
    reconcileID: id,
    error: 'broken',
    stacktrace: stack(),
  },
  end({ msg: 'reconcile failed', reconcileID: id, nextInMs: 5 }, ms),
];

describe('OperatorOutput', () => {
  it('tells what woke a reconcile, what it wrote and when it runs again', () => {
    const wrote = [
      'created ConfigMap.v1 default/a-text',
      'left unchanged Deployment.v1.apps default/a',
      'deleted Pod.v1 other/p',
      'changed Site.v1.example.com default/a status',
    ];
    expect(
      tell([end({ wrote, nextInMs: 90_000 })]),
    ).toBe(`12:00:00.000 ▶ Site default/a  because Site default/a was created
               + ConfigMap a-text   - Pod other/p   ~ its status
             ✓ 2.5 ms; runs again in 1.5 min
`);
    expect(tell([end({})])).toBe(
      '12:00:00.000 ▶ Site default/a  because Site default/a was created: nothing to write, 2.5 ms\n',
    );
  });

  it('shows an error with the lines of code that it comes from, and folds the frames of others', () => {
    expect(tell(failure(0, 'one'))).toBe(`12:00:00.000 ✗ Site default/a  because Site default/a was created
             TypeError: broken
${framed(13)}
             next try in 5 ms
`);
    const full = tell(failure(0, 'one').slice(0, 2), true);
    expect(full).toContain('             at run (/elsewhere/node_modules/x/i.js:1:1)\n');
    expect(full).not.toContain('folded');
  });

  it('tells the same failure once, then now and then, and when it works again', () => {
    const records = [0, 10, 20, 1_500].flatMap((ms) => failure(ms, `id ${ms}`));
    const lines = tell([...records, end({}, 1_600)]).split('\n');
    expect(lines.filter((line) => line.includes('TypeError'))).toHaveLength(1);
    expect(lines.slice(-3)).toEqual([
      '12:00:01.500 ✗ Site default/a  still failing, 4 times by now: broken; next try in 5 ms',
      '12:00:01.600 ▶ Site default/a  because Site default/a was created: nothing to write, 2.5 ms; works again after 4 failures',
      '',
    ]);
  });

  it('names the code of a hot loop, which can be looked up', () => {
    const msg = 'this reconcile brings itself about: it writes another value each time';
    const loop = { level: 'warn', ts: at(0), msg, ...about, code: 'KW3050', path: '.status.seen', times: 6 };
    expect(tell([loop])).toBe(`12:00:00.000 ! Site default/a KW3050 ${msg} path=.status.seen times=6\n`);
  });

  it('shows an uncaught error in the same way, in place of what Node prints', () => {
    const text = `hello\n${source}:2\n\tconst x = nothing.at(1);\n\t          ^\n\n${stack()}\n\nNode.js v22.0.0\n`;
    expect(tell(text)).toBe(`hello

TypeError: broken
${framed(4)}

`);
  });

  it('passes on what is no log line as it is, also in pieces, and lets no value speak to the terminal', () => {
    let written = '';
    const output = new OperatorOutput({ root, full: false, colors: false, write: (line) => (written += line) });
    for (const piece of ['{"level":"in', 'fo"} no\nto', '/be:1\nor']) output.take(piece);
    output.end();
    expect(written).toBe('{"level":"info"} no\nto/be:1\nor\n');
    const warning = { level: 'warn', ts: at(0), msg: 'odd\u001b[2J', ...about, note: 'a\nb', reconcileID: 'x' };
    expect(tell([warning])).toBe('12:00:00.000 ! Site default/a odd\\u001b[2J note=a\\nb\n');
  });
});
