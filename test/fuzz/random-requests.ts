import { type Random, seededRandom } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { builtinResources, formatYaml, protobuf } from '@kubewright/schema/internal';
import { minimalObjects } from '../../packages/controlplane/src/kinds/testdata/minimal-objects.mjs';
import { Mutations } from './mutations.ts';
import { oddHeaders, oddParameters, oddSegments } from './odd-requests.ts';

/** A request as sent. */
export interface RandomRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** A valid object with its URL. */
interface Sample {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } };
  readonly collection: string;
  readonly subresources: readonly string[];
  /**
   * True if writes must be dry runs: otherwise the server would call other servers, or delete the namespace of all requests.
   */
  readonly onlyDryRun: boolean;
}

export const namespace = 'fuzz';

/** Kinds whose objects make the server call other servers, or whose deletion removes the namespace of all requests. */
const dangerous = /^(?:admissionregistration\.k8s\.io|apiregistration\.k8s\.io|v1\/Namespace)/;

const patchTypes = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];

/** Generates requests by mutating valid ones. The same seed generates the same requests. */
export class RandomRequests {
  readonly #random: Random;
  readonly #mutations: Mutations;
  readonly #samples: readonly Sample[] = samples();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#mutations = new Mutations(this.#random);
  }

  /** Requests that create an object of each kind. */
  get first(): readonly RandomRequest[] {
    return this.#samples
      .filter(({ onlyDryRun }) => !onlyDryRun)
      .map(({ object, collection }) => ({
        method: 'POST',
        path: collection,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(object)),
      }));
  }

  next(): RandomRequest {
    const change = this.#mutations;
    const sample = change.pick(this.#samples);
    const draw = this.#random.next();
    if (draw < 0.25) return this.#read(sample);
    if (draw < 0.55) return this.#write('POST', sample);
    if (draw < 0.7) return this.#write('PUT', sample);
    if (draw < 0.92) return this.#patch(sample);
    return this.#write(change.pick(['DELETE', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE', 'HEAD', 'get', 'PATCH']), sample);
  }

  #read(sample: Sample): RandomRequest {
    const path = this.#target(sample, this.#random.next() < 0.5 ? '' : `/${sample.object.metadata.name}`);
    const watches = this.#random.next() < 0.2 ? '&watch=1' : '';
    return { method: 'GET', path: path + watches, headers: this.#headers(), body: undefined };
  }

  #write(method: string, sample: Sample): RandomRequest {
    const change = this.#mutations;
    const below = method === 'POST' || change.chance(0.05) ? '' : `/${sample.object.metadata.name}`;
    const path = this.#target(sample, below + this.#subresource(sample), true);
    return { method, path, ...this.#body(sample, change.object(sample.object) as object) };
  }

  #patch(sample: Sample): RandomRequest {
    const change = this.#mutations;
    const type = change.pick(patchTypes);
    const path = this.#target(sample, `/${sample.object.metadata.name}${this.#subresource(sample)}`, true);
    const manager = type === 'apply-patch+yaml' && change.chance(0.9) ? '&fieldManager=fuzz&force=true' : '';
    const mutated = change.object(sample.object);
    const value = type === 'json-patch+json' ? this.#operations(mutated) : mutated;
    const text = Buffer.from(stringifyJson(value) ?? '');
    const headers = { ...this.#headers(), 'content-type': `application/${type}` };
    return { method: 'PATCH', path: path + manager, headers, body: change.chance(0.1) ? change.bytes(text) : text };
  }

  /** Returns JSON patch operations that set fields to the values of a mutated object. */
  #operations(mutated: unknown): unknown {
    const change = this.#mutations;
    const places = Object.entries(Object(mutated)).flatMap(([key, value]) => [
      [`/${key}`, value] as const,
      ...Object.entries(Object(value)).map(([below, inner]) => [`/${key}/${below}`, inner] as const),
    ]);
    const ops = ['add', 'replace', 'remove', 'test', 'move', 'copy', 'nothing'];
    const one = (): object => {
      const [path, value] = places.length > 0 ? change.pick(places) : ['/', null];
      const [from] = places.length > 0 ? change.pick(places) : ['/'];
      return change.object({
        op: change.pick(ops),
        path: change.chance(0.1) ? `${path}/-` : path,
        from,
        value,
      }) as object;
    };
    return Array.from({ length: 1 + Math.floor(this.#random.next() * 4) }, one);
  }

  #subresource({ subresources }: Sample): string {
    const change = this.#mutations;
    return subresources.length > 0 && change.chance(0.2) ? `/${change.pick(subresources)}` : '';
  }

  /** Returns path and query. */
  #target(sample: Sample, below: string, writes = false): string {
    const change = this.#mutations;
    const segments = `${sample.collection}${below}`.split('/').slice(1);
    if (change.chance(0.08)) segments[Math.floor(this.#random.next() * segments.length)] = change.pick(oddSegments);
    const parameters = change.chance(0.3) ? change.pick(oddParameters) : 'pretty=false';
    const dryRun = writes && (sample.onlyDryRun || change.chance(0.6)) ? '&dryRun=All' : '';
    return `/${segments.join('/')}?${parameters}&timeoutSeconds=1${dryRun}`;
  }

  #headers(): Record<string, string> {
    const change = this.#mutations;
    return change.chance(0.2) ? { ...change.pick(oddHeaders) } : {};
  }

  #body({ object }: Sample, value: object): Pick<RandomRequest, 'headers' | 'body'> {
    const change = this.#mutations;
    const form = change.pick(['json', 'json', 'yaml', 'protobuf']);
    const headers = this.#headers();
    headers['content-type'] ??= form === 'protobuf' ? 'application/vnd.kubernetes.protobuf' : `application/${form}`;
    const bytes = form === 'protobuf' ? protobuf.encode(object, object) : Buffer.from(textOf(value, form));
    return { headers, body: change.chance(form === 'protobuf' ? 0.7 : 0.1) ? change.bytes(bytes) : bytes };
  }
}

function textOf(value: unknown, form: string): string {
  const json = stringifyJson(value) ?? '';
  // Formats large bodies and escapes as JSON, which is valid YAML, because formatYaml cannot handle them.
  return form === 'yaml' && json.length < 10_000 && !json.includes('\\u') ? formatYaml(JSON.parse(json)) : json;
}

function samples(): readonly Sample[] {
  const rows = new Map(builtinResources().map((row) => [`${row.group}/${row.version}/${row.resource}`, row]));
  return minimalObjects.flatMap(([resource, object]) => {
    const [version = '', group = ''] = object.apiVersion.split('/').reverse();
    const row = rows.get(`${group}/${version}/${resource}`);
    if (!row) return [];
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const scope = row.scope === 'Namespaced' ? `/namespaces/${namespace}` : '';
    const onlyDryRun = dangerous.test(`${object.apiVersion}/${object.kind}`);
    const subresources = row.subresources.map(({ name }) => name);
    return [{ object, collection: `${root}${scope}/${resource}`, subresources, onlyDryRun }];
  });
}
