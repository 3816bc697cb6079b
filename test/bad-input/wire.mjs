// Sends the requests of the tables. The recorder sends them to the real API server and the tests send them to ours, so both
// servers receive identical bytes.
import { request as httpsRequest } from 'node:https';

/** Sends a request on a new connection and returns the response. Rejects if the connection ends without a response. */
export function send(target, { method, path, body, headers = {}, as = 'admin' }) {
  const bytes = toBytes(body);
  const type = bytes === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' };
  // Node does not frame the body of a DELETE unless its length is set.
  const length = bytes === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': bytes.length };
  const all = { 'user-agent': 'bad-input/1.0', ...credentials(target, as), ...type, ...length, ...headers };
  return new Promise((resolve, reject) => {
    const call = httpsRequest(target.url, {
      method,
      path,
      agent: false,
      rejectUnauthorized: false,
      ...(as === 'anonymous' ? {} : target.certificate),
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    });
    let answered = false;
    // A server that rejects a body may close the connection before reading all of it.
    call.on('error', (error) => answered || reject(error));
    call.on('response', (response) => {
      answered = true;
      read(response).then(resolve, reject);
    });
    call.end(bytes);
  });
}

async function read(response) {
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = /^application\/json/.test(response.headers['content-type'] ?? '') && text.trim() !== '';
  return { status: response.statusCode, headers: response.headers, text, json: isJson ? parseFirst(text) : undefined };
}

/** Parses an object, or the first event of a watch. */
function parseFirst(text) {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.slice(0, text.indexOf('\n')));
  }
}

function toBytes(body) {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function credentials(target, as) {
  if (as === 'anonymous') return {};
  const admin = target.token === undefined ? {} : { authorization: `Bearer ${target.token}` };
  if (as === 'admin') return admin;
  return { ...admin, 'impersonate-user': as };
}

/** Runs a table in order; returns one result per case, except for preparation steps. */
export async function runTable(target, table, { after } = {}) {
  const kept = { namespace: table.namespace };
  const results = [];
  for (const step of table.cases) {
    const answer = await attempt(target, resolveStep(step, kept), step.until);
    Object.assign(kept, step.keep?.(answer.json ?? {}));
    if (step.prepares && answer.status >= 400 && answer.status !== 409) {
      throw new Error(`${table.namespace}: ${step.name} answered ${answer.status} ${answer.text.slice(0, 500)}`);
    }
    if (!step.prepares) results.push({ name: step.name, ...facts(answer, step) });
    await after?.(step);
  }
  return results;
}

function resolveStep(step, kept) {
  const value = (item) => (typeof item === 'function' ? item(kept) : item);
  return { ...step, path: value(step.path), body: value(step.body), headers: value(step.headers) };
}

/**
 * Repeats the request until the response has the status that the step waits for, because controllers and CRDs need a moment.
 */
async function attempt(target, step, until) {
  for (let tries = 0; ; tries++) {
    const answer = await send(target, step);
    if (until === undefined || answer.status === until || tries === 200) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns the parts of a response that clients depend on. */
function facts({ status, headers, text, json }, { shows }) {
  const { warning } = headers;
  const seen = { status, ...(warning && { warning: neutral(warning) }) };
  if (json?.kind === 'Status' && status >= 400) {
    const { reason, message, details } = json;
    const causes = details?.causes && sortedCauses(details.causes);
    // Upstream orders causes by random map iteration, so omit them from the message. The sorted causes are compared
    // separately.
    const stated = causes?.length > 1 ? message.replace(/ is invalid: \[.*/s, ' is invalid: […]') : message;
    return { ...seen, ...(reason && { reason }), message: neutral(stated), ...(causes && { causes }) };
  }
  if (shows !== undefined) return { ...seen, shown: shownText(pick(json, shows)) };
  return json === undefined && status >= 400 ? { ...seen, text: neutral(text).slice(0, 300) } : seen;
}

/**
 * Sorts causes and removes duplicates. Upstream repeats causes once per validation run and orders them by random map
 * iteration.
 */
function sortedCauses(causes) {
  const lines = causes.map(({ reason, message, field }) => neutral([reason, field, message].join(' | ')));
  return [...new Set(lines)].sort();
}

function pick(value, path) {
  return path.reduce((inner, key) => (inner != null && Object.hasOwn(inner, key) ? inner[key] : null), value);
}

function shownText(value) {
  return neutral(JSON.stringify(value ?? null, sortedKeys));
}

/**
 * Sorts keys, as a replacer for JSON.stringify. The tests compare serialized JSON, because comparing objects would
 * ignore keys named `__proto__`.
 */
function sortedKeys(_key, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function neutral(text = '') {
  const shown = text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replace(/, current: \d+/g, ', current: RV')
    .replace(/in record \(\d+\)/g, 'in record (RV)')
    .replace(/current resource version: \d+/g, 'current resource version: RV')
    .replace(/(-)[bcdfghjklmnpqrstvwxz2456789]{5}\b(?=")/g, '$1SUFFIX')
    .replace(/(patch(?:: | \| )Invalid value: )"\{.*\}":/s, '$1OBJECT:')
    .replace(/kube-api-access-\w{5}/g, 'kube-api-access-SUFFIX')
    .replace(/x{58}[a-z0-9]{5}\b/g, 'x*58SUFFIX')
    .replace(/x{200,}/g, (run) => `x*${run.length}`);
  return shown.length > 3000 ? `${shown.slice(0, 1500)} … (${shown.length} characters) … ${shown.slice(-300)}` : shown;
}
