/**
 * The program of the watchdog's thread. It is a string so that it survives bundling into one file. It checks the beat counter
 * four times a second. When the counter has not changed for the limit, it writes one line to stderr itself, because the logging
 * thread is the blocked one: a readable line if people read the log, otherwise JSON.
 */
export const watchdogSource = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const { buffer, limitMs, reportsImmediately, forPeople } = workerData;
const shared = new Int32Array(buffer, 0, 2);
const name = new Uint8Array(buffer, 8);
let beats = Atomics.load(shared, 0);
let since = performance.now();
let reported = false;
setInterval(() => {
  const now = Atomics.load(shared, 0);
  if (now !== beats) {
    beats = now;
    since = performance.now();
    reported = false;
    return;
  }
  const heldMs = Math.round(performance.now() - since);
  if (reported || !reportsImmediately || beats === 0 || heldMs < limitMs) return;
  reported = true;
  const who = Buffer.from(name.slice(0, Atomics.load(shared, 1))).toString('utf8');
  const ts = new Date().toISOString();
  if (forPeople) {
    const about = who.replace(/[\\u0000-\\u001f\\u007f-\\u009f]/g, ' ') || 'watchdog';
    return write(ts.slice(11, 23) + ' WARN  ' + about + ' the event loop is blocked heldMs=' + heldMs);
  }
  // In the order of the JSON logger: readers tell its lines by their beginning.
  const line = { level: 'warn', ts, logger: 'watchdog', msg: 'the event loop is blocked', heldMs };
  if (who !== '') {
    const space = who.indexOf(' ');
    line.controller = who.slice(0, space);
    line.key = who.slice(space + 1);
  }
  write(JSON.stringify(line));
}, 250);
function write(text) {
  try {
    writeSync(2, text + '\\n');
  } catch {
    // stderr is closed; the log line of the freed loop is still to come.
  }
}
`;
