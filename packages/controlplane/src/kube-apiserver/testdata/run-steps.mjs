/**
 * Sends a script of requests to an API server: to the real one to record its responses, or to this one to compare them.
 *
 * A step is `[method, path, body?, { type?, headers?, remember? }?]`. A body `{ $merge: patch }` stands for the live object with a
 * merge patch applied, so that a PUT has the right resourceVersion. `remember: 'x'` remembers the resourceVersion and uid of the
 * response; later paths and bodies refer to them as `{x.rv}` and `{x.uid}`.
 */
const TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export async function runSteps(steps, { send, settle }) {
  const known = {};
  const fill = (value) =>
    value === undefined
      ? undefined
      : JSON.parse(JSON.stringify(value).replace(/\{(\w+)\.(rv|uid)\}/g, (_, name, field) => known[name][field]));
  const answers = [];
  for (const [method, path, body, { type, headers = {}, remember } = {}] of steps) {
    const to = fill(path);
    let content = fill(body);
    if (content?.$merge) {
      const live = await send('GET', content.$from ?? to.replace(/\?.*/, ''), undefined, {});
      content = merge(JSON.parse(live.text), content.$merge);
    }
    const contentType = TYPES[type] ?? type ?? 'application/json';
    const answer = await send(method, to, content, content === undefined ? headers : { 'content-type': contentType, ...headers });
    if (remember) {
      const { metadata } = JSON.parse(answer.text);
      known[remember] = { rv: metadata.resourceVersion, uid: metadata.uid };
    }
    answers.push(answer);
    await settle({ method, path: to, answer });
  }
  return answers;
}

function merge(target, patch) {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const out = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = merge(out[key], value);
  }
  return out;
}
