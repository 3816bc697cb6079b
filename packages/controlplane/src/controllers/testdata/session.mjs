/** The session of a scenario in a namespace of an API server: sends requests, waits, and records its state. */
import { normalize } from './normalize.mjs';

const types = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

const pictured = {
  deployments: '/apis/apps/v1',
  replicasets: '/apis/apps/v1',
  replicationcontrollers: '/api/v1',
  statefulsets: '/apis/apps/v1',
  daemonsets: '/apis/apps/v1',
  controllerrevisions: '/apis/apps/v1',
  cronjobs: '/apis/batch/v1',
  jobs: '/apis/batch/v1',
  pods: '/api/v1',
  persistentvolumeclaims: '/api/v1',
  configmaps: '/api/v1',
  endpointslices: '/apis/discovery.k8s.io/v1',
  resourcequotas: '/api/v1',
  horizontalpodautoscalers: '/apis/autoscaling/v2',
  poddisruptionbudgets: '/apis/policy/v1',
  events: '/api/v1',
};

export class Session {
  constructor({ call, namespace, pause, patience }) {
    Object.assign(this, { call, namespace, pause, patience, pictures: [], globals: [] });
  }

  path(resource, name) {
    const [plural, sub] = resource.split('/');
    const prefix = pictured[plural] ?? '/api/v1';
    return `${prefix}/namespaces/${this.namespace}/${plural}${name ? `/${name}` : ''}${sub ? `/${sub}` : ''}`;
  }

  async #expect(answer, what) {
    if (answer.status >= 300) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.json)}`);
    return answer.json;
  }

  async create(resource, body) {
    return this.#expect(await this.call('POST', this.path(resource), body), `create ${resource}`);
  }

  /** Creates an object outside the namespace. It is deleted after the scenario. */
  async createGlobal(collection, body) {
    const made = await this.#expect(await this.call('POST', collection, body), `create ${collection}`);
    this.globals.push(`${collection}/${made.metadata.name}`);
    return made;
  }

  async patchGlobal(path, body) {
    return this.#expect(await this.call('PATCH', path, body, types.merge), `patch ${path}`);
  }

  /** Deletes the objects that the scenario created outside its namespace. */
  async cleanUp() {
    for (const path of this.globals) {
      await this.call('DELETE', path);
      await this.call('PATCH', path, { metadata: { finalizers: null } }, types.merge);
    }
  }

  async get(resource, name) {
    const { json, status } = await this.call('GET', this.path(resource, name));
    return status === 404 ? undefined : json;
  }

  async list(resource) {
    return (await this.call('GET', this.path(resource))).json.items ?? [];
  }

  async patch(resource, name, body, type = 'merge') {
    return this.#expect(await this.call('PATCH', this.path(resource, name), body, types[type]), `patch ${resource} ${name}`);
  }

  async delete(resource, name, options) {
    return this.#expect(await this.call('DELETE', this.path(resource, name), options), `delete ${resource} ${name}`);
  }

  /** Waits until `condition` returns a truthy value, and returns it. */
  async until(what, condition) {
    for (let tries = 0; tries < this.patience; tries++) {
      const value = await condition();
      if (value) return value;
      await this.pause();
    }
    throw new Error(`gave up waiting for ${what} in ${this.namespace}: ${JSON.stringify(await this.#state(), null, 1).slice(0, 6000)}`);
  }

  /** Gives caches time to catch up with the last writes, which cannot be observed. */
  async rest() {
    for (let pauses = 0; pauses < 5; pauses++) await this.pause();
  }

  /** Records the namespace's state once nothing has changed for a while. */
  async picture(name, options) {
    await this.#picture(name, options);
  }

  /** Records the state of only some resources. */
  async pictureOf(name, resources, options) {
    await this.#picture(name, options, resources);
  }

  async #picture(name, { events = false, messages } = {}, only) {
    let before = '';
    let same = 0;
    let state = {};
    for (let tries = 0; same < 6 && tries < this.patience; tries++) {
      state = await this.#state();
      const text = JSON.stringify(state);
      same = text === before ? same + 1 : 0;
      before = text;
      await this.pause();
    }
    if (!events) delete state.events;
    // A pattern as `events` selects components whose events are otherwise left out.
    const select = events instanceof RegExp && { components: events, messages };
    const seen = Object.entries(normalize(state, this.namespace, select));
    this.pictures.push({ name, state: Object.fromEntries(seen.filter(([resource]) => !only || only.includes(resource))) });
  }

  /** Records a value other than the namespace's state. */
  keep(name, value) {
    this.pictures.push({ name, state: normalize({ [name]: [value] }, this.namespace) });
  }

  async #state() {
    const state = {};
    for (const resource of Object.keys(pictured)) state[resource] = await this.list(resource);
    if (this.globals.some((path) => path.includes('/persistentvolumes/'))) {
      const { json } = await this.call('GET', '/api/v1/persistentvolumes');
      state.persistentvolumes = json.items.filter(({ metadata }) => metadata.name.startsWith(`${this.namespace}-`));
    }
    return state;
  }
}
