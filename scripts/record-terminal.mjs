// Records the terminal picture of the README: runs `npm start`, uses the cluster with kubectl, and draws the output of
// both. node scripts/record-terminal.mjs writes docs/images/first-minute.svg
// Needs Linux with util-linux' `script`, kubectl, and a build (so that the picture shows a start, not a compilation).
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Screen } from './recording/screen.mjs';
import { svgOf, withoutPauses } from './recording/svg.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = fileURLToPath(new URL('../docs/images/first-minute.svg', import.meta.url));
const columns = 100;
const tries = [
  'kubectl get postgresql',
  'kubectl delete pod postgresql-sample --wait=false',
  'kubectl wait postgresql/postgresql-sample --for=jsonpath={.status.pgPhase}=up',
  'kubectl get pods',
];

const screen = new Screen();
const startedMs = performance.now();
const now = () => performance.now() - startedMs;
screen.write('$ npm start\r\n', 0);

// In a pseudo-terminal, the program prints the output that users see, with colors.
const command = `stty cols ${columns}; exec node scripts/start.mjs`;
const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
child.stdout.setEncoding('utf8');

let printed = '';
let shown = 0;
const kubeconfig = await new Promise((resolve, reject) => {
  child.on('exit', (code) => reject(new Error(`npm start exited with code ${code} before it was ready:\n${printed}`)));
  child.stdout.on('data', (text) => {
    printed += text;
    const instructions = printed.indexOf('Try it from a second terminal');
    screen.write(printed.slice(shown, instructions < 0 ? undefined : instructions).trimEnd(), now());
    if (instructions < 0 && /\n$/.test(printed)) screen.write('\r\n', now());
    shown = instructions < 0 ? printed.length : Math.min(shown, instructions);
    const path = /export KUBECONFIG=(\S+)/.exec(printed)?.[1];
    if (path && printed.includes('Ctrl-C here stops everything')) resolve(path);
  });
});
screen.write('\r\n# in a second terminal\r\n', now());
for (const each of tries) {
  screen.write(`$ ${each}\r\n`, now());
  const { stdout, stderr } = spawnSync(each, {
    shell: true,
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  screen.write(stdout + stderr, now());
}
child.removeAllListeners('exit');
child.kill('SIGINT');

const lines = screen.lines.filter(({ spans }, index) => spans.length > 0 || index < screen.lines.length - 1);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, svgOf(withoutPauses(lines, 1_200), { title: 'npm start, then kubectl', columns }));
console.log(`wrote ${lines.length} lines to ${target}`);
