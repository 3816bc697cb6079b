import type { Random } from '@kubewright/apimachinery';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { type Site, SiteKind } from './site.ts';

const namespace = 'default';
/** Maximum number of sites. */
const population = 40;
/** The spec that every site has in the evening. */
const plain: Site['spec'] = { title: 'nothing new', pages: 2 };

/** Users who create, change and delete sites, and interfere with pages, which they should not touch. */
export class Users {
  readonly #client: KubernetesClient;
  readonly #random: Random;
  #named = 0;

  constructor(client: KubernetesClient, random: Random) {
    this.#client = client;
    this.#random = random;
  }

  async sites(): Promise<readonly Site[]> {
    return (await this.#client.resource(SiteKind).list({ namespace })).items;
  }

  async pages(): Promise<readonly ConfigMap[]> {
    const { items } = await this.#client.resource(ConfigMap).list({ namespace });
    // Kubernetes creates this ConfigMap in every namespace.
    return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  }

  /** Performs one random action on one object. */
  async act(): Promise<void> {
    const sites = await this.sites();
    const site = sites[Math.floor(this.#random.next() * sites.length)];
    const chance = this.#random.next();
    if (!site || (chance < 0.25 && sites.length < population)) return await this.#create(this.#spec());
    const all = this.#client.resource(SiteKind);
    const pages = this.#client.resource(ConfigMap);
    const key = { namespace, name: site.metadata.name ?? '' };
    const page = { namespace, name: `${key.name}-0` };
    if (chance < 0.25 || (chance < 0.45 && sites.length > population / 2)) await all.delete(key).catch(gone);
    else if (chance < 0.7) await all.patch(key, { type: 'merge', body: { spec: this.#spec() } });
    else if (chance < 0.85) await pages.patch(page, { type: 'merge', body: { data: { title: 'mine' } } }).catch(gone);
    else await pages.delete(page).catch(gone);
  }

  /** Restores the maximum number of sites, all of the same size, so that memory is comparable between evenings. */
  async tidy(): Promise<void> {
    const sites = await this.sites();
    const all = this.#client.resource(SiteKind);
    for (const { metadata } of sites) {
      const key = { namespace, name: metadata.name ?? '' };
      await all.patch(key, { type: 'merge', body: { spec: plain } }).catch(gone);
    }
    for (let count = sites.length; count < population; count++) await this.#create(plain);
  }

  async #create(spec: Site['spec']): Promise<void> {
    // All names have the same length, so that memory is comparable between days.
    const metadata = { name: `site-${String(this.#named++).padStart(6, '0')}`, namespace };
    const site = { apiVersion: 'soak.example.com/v1', kind: 'Site', metadata, spec } as Site;
    await this.#client.resource(SiteKind).create(site);
  }

  #spec(): Site['spec'] {
    return { title: `title ${Math.floor(this.#random.next() * 1e6)}`, pages: 1 + Math.floor(this.#random.next() * 4) };
  }
}

/** Ignores the error for an object that is already deleted. */
function gone(error: { readonly httpStatus?: number }): void {
  if (error.httpStatus !== 404) throw error;
}
