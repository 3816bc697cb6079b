import { sameJson } from '@kubewright/apimachinery/internal';
import type { BuiltCrd } from '../crd/build-crds.ts';
import type { CrdVersion } from '../crd/crd.ts';
import type { Problems } from '../problem.ts';
import type { ConversionModel } from './find-conversions.ts';
import type { WebhookService } from './webhook-service.ts';

interface Conversions {
  readonly converters: readonly ConversionModel[];
  readonly place: WebhookService;
  readonly problems: Problems;
}

/** Adds the conversion webhook to the CRDs of kinds with a converter. Reports versions that a converter does not handle. */
export function withConversions(crds: readonly BuiltCrd[], conversions: Conversions): readonly BuiltCrd[] {
  return crds.map((built) => {
    const { group, names } = built.crd.spec;
    const converter = conversions.converters.find((each) => each.group === group && each.kind === names.kind);
    if (converter === undefined) {
      warnOfLosses(built, conversions.problems);
      return built;
    }
    checkVersions(built, converter, conversions.problems);
    const { namespace, service: name } = conversions.place;
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: { service: { namespace, name, path: '/convert' } }, conversionReviewVersions: ['v1'] },
    } as const;
    return { ...built, crd: { ...built.crd, spec: { ...built.crd.spec, conversion } } };
  });
}

function checkVersions({ crd }: BuiltCrd, { kind, versions, at }: ConversionModel, problems: Problems): void {
  if (versions === undefined) return;
  const all = crd.spec.versions.map(({ name }) => name);
  for (const version of all.filter((each) => !versions.includes(each))) {
    problems.add(at, {
      code: 'KW6502',
      what: `the converter of ${kind} does not handle version ${version}`,
      why: 'the API server requests conversions to every version that is served or stored',
      fix: `add a spoke for ${version}: spoke(${kind}${capital(version)}, { toHub, fromHub })`,
    });
  }
}

/**
 * Warns about versions with different schemas but no converter. Without a converter, the API server only changes
 * `apiVersion`, so fields that the other version lacks are dropped silently.
 */
function warnOfLosses({ crd, kinds }: BuiltCrd, problems: Problems): void {
  const served = crd.spec.versions.filter((version) => version.served);
  const [first] = served;
  if (served.length < 2) return;
  const other = first && served.find((version) => !sameJson(shapeOf(first), shapeOf(version)));
  const model = other && kinds.find(({ version }) => version === other.name);
  if (!first || !other || !model) return;
  problems.add(model.at, {
    code: 'KW6502',
    severity: 'warning',
    what: `${first.name} and ${other.name} of ${crd.spec.names.kind} have different schemas but no converter`,
    why: 'without a converter, the API server changes only apiVersion, so fields that the other version lacks are lost',
    fix: `declare a converter: kubewright create webhook --conversion --kind ${crd.spec.names.kind} …`,
  });
}

function shapeOf({ schema }: CrdVersion): unknown {
  return JSON.parse(
    JSON.stringify(schema ?? {}, (key, value: unknown) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    ),
  ) as unknown;
}

function capital(version: string): string {
  return version.charAt(0).toUpperCase() + version.slice(1);
}
