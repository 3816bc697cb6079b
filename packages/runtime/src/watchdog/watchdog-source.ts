/**
 * The program of the watchdog's thread. It is a string so that it survives bundling into one file. It checks the beat counter
 * four times a second. When the counter has not changed for the limit, and again for 10, 100, … times the limit, it writes a line to
 * stderr itself, because the logging thread is the blocked one: a readable line if people read the log, otherwise JSON. The line says which code runs, if the
 * blocked thread can be paused for a moment to read its stack: not while it runs native code, and not if it is being debugged.
 */
export const watchdogSource = `
const { workerData } = require('node:worker_threads');
const { readFileSync, writeSync } = require('node:fs');
const { SourceMap } = require('node:module');
const { relative } = require('node:path');
const { fileURLToPath } = require('node:url');
const { buffer, limitMs, reportsImmediately, forPeople } = workerData;
const shared = new Int32Array(buffer, 0, 3);
const name = new Uint8Array(buffer, 12);
let beats = Atomics.load(shared, 0);
let since = performance.now();
const firstMs = Math.max(limitMs, 1);
let dueMs = firstMs;
setInterval(() => {
  const now = Atomics.load(shared, 0);
  if (now !== beats) {
    beats = now;
    since = performance.now();
    dueMs = firstMs;
    return;
  }
  const heldMs = Math.round(performance.now() - since);
  if (!reportsImmediately || heldMs < dueMs) return;
  // Again when it is blocked ten times as long, so that it is not taken for a short pause.
  while (dueMs <= heldMs) dueMs *= 10;
  const who = Buffer.from(name.slice(0, Atomics.load(shared, 1))).toString('utf8');
  locate((at) => report(who, heldMs, at));
}, 250);

function report(who, heldMs, at) {
  const ts = new Date().toISOString();
  if (forPeople) {
    const about = who.replace(/[\\u0000-\\u001f\\u007f-\\u009f]/g, ' ') || 'watchdog';
    const place = at === undefined ? '' : ' at="' + at + '"';
    return write(ts.slice(11, 23) + ' WARN  ' + about + ' the event loop is blocked heldMs=' + heldMs + place);
  }
  // In the order of the JSON logger: readers tell its lines by their beginning.
  const line = { level: 'warn', ts, logger: 'watchdog', msg: 'the event loop is blocked', heldMs, at };
  if (who !== '') {
    const space = who.indexOf(' ');
    line.controller = who.slice(0, space);
    line.key = who.slice(space + 1);
  }
  write(JSON.stringify(line));
}

/** Pauses the blocked thread, reads its stack, and lets it continue. */
function locate(done) {
  if (Atomics.load(shared, 2) === 1) return done();
  const maps = new Map();
  let session;
  let late;
  const end = (at) => {
    clearTimeout(late);
    try {
      session?.post('Debugger.disable');
      session?.disconnect();
    } catch {
      // It has ended already.
    }
    session = undefined;
    done(at);
  };
  try {
    const { Session } = require('node:inspector');
    session = new Session();
    session.connectToMainThread();
    session.on('Debugger.scriptParsed', ({ params }) => maps.set(params.scriptId, params));
    session.on('Debugger.paused', ({ params }) => {
      session.post('Debugger.resume');
      end(placeOf(params.callFrames, maps));
    });
    session.post('Debugger.enable');
    session.post('Debugger.pause');
    late = setTimeout(end, 700);
  } catch {
    // This build or its permissions allow no debugger.
    end();
  }
}

/** Returns a frame's position in the file that was written, if a source map says it. */
function original({ functionName, location: { lineNumber, columnNumber } }, script) {
  const url = script?.url ?? '';
  const compiled = { functionName, url, line: lineNumber, column: columnNumber };
  if (!script?.sourceMapURL) return compiled;
  try {
    const map = new URL(script.sourceMapURL, url);
    const text = map.protocol === 'data:' ? Buffer.from(map.href.split(',')[1], 'base64') : readFileSync(map);
    const { originalSource, originalLine, originalColumn } = new SourceMap(JSON.parse(text)).findEntry(lineNumber, columnNumber);
    if (originalSource === undefined) return compiled;
    return { functionName, url: new URL(originalSource, map.protocol === 'data:' ? url : map).href, line: originalLine, column: originalColumn };
  } catch {
    return compiled;
  }
}

/** Returns the innermost frame outside Node.js and installed packages, otherwise the innermost one. */
function placeOf(callFrames, maps) {
  const map = (each) => each && original(each, maps.get(each.location.scriptId));
  let frame = map(callFrames[0]);
  // Each step may read a source map, so it takes only a few.
  for (let i = 1; i < Math.min(callFrames.length, 5) && !isOwn(frame); i++) frame = map(callFrames[i]);
  if (!isOwn(frame)) frame = map(callFrames[0]);
  if (frame === undefined) return undefined;
  const path = frame.url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(frame.url)) : frame.url;
  return (frame.functionName || '(anonymous)') + ' (' + path + ':' + (frame.line + 1) + ':' + (frame.column + 1) + ')';
}

function isOwn(frame) {
  return frame !== undefined && frame.url.startsWith('file:') && !frame.url.includes('/node_modules/');
}

function write(text) {
  try {
    writeSync(2, text + '\\n');
  } catch {
    // stderr is closed; the log line of the freed loop is still to come.
  }
}
`;
