import { KubewrightError } from '@kubewright/apimachinery';
import { nearestName } from '@kubewright/apimachinery/internal';

/** Thrown if a list of components is invalid. The message names the list, the fault and the valid names. */
class ComponentsError extends KubewrightError {
  override readonly name = 'ComponentsError';
  readonly code = 'KW5504';
}

/** Components that are not controllers. */
const parts: readonly string[] = ['apiserver', 'scheduler', 'kube-proxy', 'coredns', 'metrics', 'nodes'];
const groups: readonly string[] = ['*', 'controllers'];

/**
 * The components of a cluster that a list selects. The list works like `--controllers` of kube-controller-manager: `*` selects
 * every component, `foo` selects foo, `-foo` excludes it. `controllers` stands for all controllers. A single component takes
 * precedence over `controllers`, and `controllers` over `*`; the order does not matter. The API server always runs.
 */
export class ComponentSelection {
  readonly #entries: ReadonlySet<string>;

  /**
   * @param list - such as `['*', '-scheduler']` or `['apiserver', 'namespace-controller']`
   * @throws ComponentsError if the list is empty, contradicts itself or only excludes components
   */
  constructor(list: readonly string[]) {
    const entries = list.map((entry) => entry.trim()).filter((entry) => entry !== '');
    this.#entries = new Set(entries);
    const contradicted = entries.find((entry) => this.#entries.has(`-${entry}`));
    if (entries.length === 0) throw this.#invalid('the list is empty', 'list the components to run, for example *');
    if (this.#entries.has('-*')) throw this.#invalid('* cannot be excluded', 'list only the components to run');
    if (this.#entries.has('-apiserver')) throw this.#invalid('the API server always runs', 'remove -apiserver');
    if (contradicted !== undefined) {
      throw this.#invalid(
        `the list contains both ${contradicted} and -${contradicted}`,
        `remove ${contradicted} or -${contradicted}`,
      );
    }
    if (entries.every((entry) => entry.startsWith('-'))) {
      throw this.#invalid('the list only excludes components', `begin the list with *: *,${entries.join(',')}`);
    }
  }

  /** Returns true if the list selects this component: `scheduler`, `kube-proxy`, `coredns`, `metrics`, `nodes` or the name of a controller. */
  includes(name: string): boolean {
    if (name === 'apiserver') return true;
    const candidates = parts.includes(name) ? [name, '*'] : [name, 'controllers', '*'];
    const decisive = candidates.find((each) => this.#entries.has(each) || this.#entries.has(`-${each}`));
    return decisive !== undefined && this.#entries.has(decisive);
  }

  /** Returns true if the list names the component itself, not only a group that contains it. */
  names(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Checks the names in the list. @throws ComponentsError if the list has an unknown name */
  check(controllers: readonly string[]): void {
    const known = [...new Set([...groups, ...parts, ...controllers])];
    for (const entry of this.#entries) {
      const name = entry.replace(/^-/, '');
      if (known.includes(name)) continue;
      const meant = known.includes(`${name}-controller`) ? `${name}-controller` : nearestName(name, known);
      const all = known.join(', ');
      throw this.#invalid(
        `unknown component ${name}`,
        meant === undefined ? `choose from ${all}` : `use ${meant}, or another of ${all}`,
      );
    }
  }

  #invalid(why: string, remedy: string): ComponentsError {
    const list = [...this.#entries].join(',');
    return new ComponentsError({ what: `invalid list of components ${JSON.stringify(list)}`, why, remedy });
  }
}
