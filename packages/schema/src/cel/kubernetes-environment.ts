import { defined } from '@kubewright/apimachinery/internal';
import type { PatternCache } from '../pattern/pattern-cache.ts';
import { CelEnvironment } from './environment.ts';
import { authorizerLibrary } from './library/authorizer.ts';
import { comprehensionsLibrary } from './library/comprehensions.ts';
import { formatLibrary } from './library/format.ts';
import { cidrLibrary, ipLibrary } from './library/ip.ts';
import type { Library } from './library/library.ts';
import { kubernetesListsLibrary, listsLibrary } from './library/lists.ts';
import { mutationLibrary } from './library/mutation.ts';
import { optionalsLibrary } from './library/optionals.ts';
import { quantityLibrary } from './library/quantity.ts';
import { regexLibrary } from './library/regex.ts';
import { semverLibrary } from './library/semver.ts';
import { setsLibrary } from './library/sets.ts';
import { standardLibrary } from './library/standard.ts';
import { stringsLibrary } from './library/strings.ts';
import { urlsLibrary } from './library/url.ts';

/**
 * The libraries that Kubernetes 1.36 provides to expressions. The authorizer functions require a declared variable
 * `authorizer`.
 */
const libraries: readonly Library[] = [
  standardLibrary,
  urlsLibrary,
  regexLibrary,
  kubernetesListsLibrary,
  optionalsLibrary,
  quantityLibrary,
  stringsLibrary,
  setsLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  comprehensionsLibrary,
  semverLibrary,
  listsLibrary,
  authorizerLibrary,
];

/**
 * Creates the environment in which Kubernetes 1.36 compiles expressions: rules of CRDs, admission policies, match
 * conditions. Create one and share it.
 *
 * @param patterns - cache of compiled patterns; by default, the environment creates a new cache
 * @param extra - additional libraries
 * @param mutations - true to let expressions create `Object` and `JSONPatch` structures, as in mutating admission policies
 *
 * @example
 * ```ts
 * const environment = kubernetesEnvironment();
 * const sum = compileExpression('[1, 2, 3].sum()', { environment, variables: {} });
 * const six = sum.evaluate({});
 * ```
 */
export function kubernetesEnvironment(
  options: { readonly patterns?: PatternCache; readonly extra?: readonly Library[]; readonly mutations?: boolean } = {},
): CelEnvironment {
  const { patterns, extra = [], mutations = false } = options;
  return new CelEnvironment({
    libraries: [...libraries, ...(mutations ? [mutationLibrary] : []), ...extra],
    optionalSyntax: true,
    checkLiterals: true,
    ...defined({ patterns }),
  });
}
