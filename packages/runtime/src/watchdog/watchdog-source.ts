/**
 * The program of the watchdog's thread. It is a string so that it survives bundling into one file. It checks the beat
 * counter four times a second. When the counter has not changed for the time limit, and again for 10, 100, … times the
 * limit, it writes a line to stderr: a readable line if people read the log, otherwise JSON. It writes directly,
 * because the logging thread is blocked. The line shows which code runs if the blocked thread can be paused for a
 * moment to read its stack. This is not possible while the thread runs native code or is being debugged.
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
const maxFrames = 20;
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
  const ts = new Date().toISOString();
  locate((at) => report({ who, ts, heldMs, at }));
}, 250);

function report({ who, ts, heldMs, at }) {
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
  const scripts = new Map();
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
    session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params));
    session.on('Debugger.paused', ({ params }) => {
      session.post('Debugger.resume');
      end(placeOf(params.callFrames, scripts));
    });
    session.post('Debugger.enable');
    session.post('Debugger.pause');
    late = setTimeout(end, 700);
  } catch {
    // This build or its permissions allow no debugger.
    end();
  }
}

/** Returns the position of the innermost frame outside Node.js and installed packages, otherwise of the innermost frame. */
function placeOf(callFrames, scripts) {
  const frames = callFrames.slice(0, maxFrames).map((frame) => original(frame, scripts.get(frame.location.scriptId)));
  const frame = frames.find(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/')) ?? frames[0];
  if (frame === undefined) return undefined;
  const path = frame.url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(frame.url)) : frame.url;
  return (frame.functionName || '(anonymous)') + ' (' + path + ':' + (frame.line + 1) + ':' + (frame.column + 1) + ')';
}

/** Returns a frame's position in the file that was written, if a source map says it. */
function original({ functionName, location: { lineNumber: line, columnNumber: column } }, script) {
  const compiled = { functionName, url: script?.url ?? '', line, column };
  // Large programs have maps of many megabytes, so each is read once.
  if (script && !('source' in script)) script.source = sourceOf(script);
  const entry = script?.source?.map.findEntry(line, column);
  if (entry?.originalSource === undefined) return compiled;
  const url = new URL(entry.originalSource, script.source.base).href;
  return { functionName, url, line: entry.originalLine, column: entry.originalColumn };
}

/** Returns the source map of a script and the URL to which its paths are relative; undefined if it has none. */
function sourceOf({ url, sourceMapURL }) {
  if (!sourceMapURL) return undefined;
  try {
    const at = new URL(sourceMapURL, url);
    const isInline = at.protocol === 'data:';
    const text = isInline ? Buffer.from(at.href.split(',')[1], 'base64') : readFileSync(at);
    return { map: new SourceMap(JSON.parse(text)), base: isInline ? url : at };
  } catch {
    return undefined;
  }
}

function write(text) {
  try {
    writeSync(2, text + '\\n');
  } catch {
    // stderr is closed; the log line of the freed loop is still to come.
  }
}
`;
