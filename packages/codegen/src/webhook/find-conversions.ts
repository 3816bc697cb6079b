import type { KindResolver } from '../compiler/kind-resolver.ts';
import type { ProjectView } from '../compiler/project.ts';
import { callsOf } from '../compiler/runtime-calls.ts';
import { ts } from '../compiler/typescript.ts';
import type { Position, Problems } from '../problem.ts';

/** A declared conversion between the versions of a kind. */
export interface ConversionModel {
  readonly group: string;
  readonly kind: string;
  /** The versions that the converter handles, the hub first; undefined if they cannot be determined. */
  readonly versions: readonly string[] | undefined;
  readonly at: Position;
}

interface Search {
  readonly view: ProjectView;
  readonly resolver: KindResolver;
  readonly problems: Problems;
}

/** Finds the calls `converter(Hub, [spoke(Version, …)])` of a project. */
export function findConversions({ view, resolver, problems }: Search): readonly ConversionModel[] {
  return callsOf(view, 'converter').flatMap(({ call }): readonly ConversionModel[] => {
    const [hubArgument, spokes] = call.arguments;
    const hub = hubArgument && resolver.ofExpression(hubArgument);
    const at = view.position(call);
    if (hub === undefined) {
      problems.add(at, {
        code: 'KW6401',
        severity: 'warning',
        what: 'the kind of the converter cannot be determined from the code',
        why: 'the conversion webhook is missing from its CRD',
        fix: 'pass the kind as its constant: converter(PostgresqlV1, [ … ])',
      });
      return [];
    }
    const others = spokes && versionsOf(spokes, resolver);
    const versions = others && [hub.version, ...others];
    return [{ group: hub.group, kind: hub.kind, versions, at }];
  });
}

function versionsOf(spokes: ts.Expression, resolver: KindResolver): readonly string[] | undefined {
  if (!ts.isArrayLiteralExpression(spokes)) return undefined;
  const versions = spokes.elements.map((element) => {
    // The element is a call to `spoke`: the compiler has checked its type.
    const version = ts.isCallExpression(element) ? element.arguments[0] : undefined;
    return version && resolver.ofExpression(version)?.version;
  });
  return versions.every((version) => version !== undefined) ? versions : undefined;
}
