import type { PatternCache } from '../pattern/pattern-cache.ts';
import { CelEnvironment } from './environment.ts';
import { AUTHORIZER } from './library/authorizer.ts';
import { TWO_VARIABLE_COMPREHENSIONS } from './library/comprehensions.ts';
import { FORMAT } from './library/format.ts';
import { CIDR, IP } from './library/ip.ts';
import type { Library } from './library/library.ts';
import { KUBERNETES_LISTS, LISTS } from './library/lists.ts';
import { OPTIONALS } from './library/optionals.ts';
import { QUANTITY } from './library/quantity.ts';
import { REGEX } from './library/regex.ts';
import { SEMVER } from './library/semver.ts';
import { SETS } from './library/sets.ts';
import { STANDARD } from './library/standard.ts';
import { STRINGS } from './library/strings.ts';
import { URLS } from './library/url.ts';

/**
 * The libraries that Kubernetes 1.36 provides to expressions. The authorizer functions are useless without a variable
 * `authorizer`.
 */
const LIBRARIES: readonly Library[] = [
  STANDARD,
  URLS,
  REGEX,
  KUBERNETES_LISTS,
  OPTIONALS,
  QUANTITY,
  STRINGS,
  SETS,
  IP,
  CIDR,
  FORMAT,
  TWO_VARIABLE_COMPREHENSIONS,
  SEMVER,
  LISTS,
  AUTHORIZER,
];

/**
 * Creates the environment in which Kubernetes 1.36 compiles expressions: rules of CRDs, admission policies, match
 * conditions. Create one and share it.
 *
 * @param patterns - cache of compiled patterns; a separate cache by default
 * @param extra - additional libraries
 *
 * @example
 * ```ts
 * const environment = kubernetesEnvironment();
 * const sum = compileExpression('[1, 2, 3].sum()', { environment, variables: {} });
 * const six = sum.evaluate({});
 * ```
 */
export function kubernetesEnvironment(
  options: { readonly patterns?: PatternCache; readonly extra?: readonly Library[] } = {},
): CelEnvironment {
  const { patterns, extra = [] } = options;
  return new CelEnvironment({
    libraries: [...LIBRARIES, ...extra],
    optionalSyntax: true,
    checkLiterals: true,
    ...(patterns === undefined ? {} : { patterns }),
  });
}
