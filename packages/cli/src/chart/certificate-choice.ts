import type { UnstructuredObject } from '@kubewright/apimachinery';
import { both } from './condition.ts';
import { managerParts } from './manager-template.ts';

const byCertManager = '.Values.certManager.enabled';
const byOperator = `not ${byCertManager}`;
/** The annotation that makes cert-manager inject a CA bundle. */
const injection = 'cert-manager.io/inject-ca-from';

/** The objects of a project, rendered for each certificate issuer. */
export interface Alternatives {
  readonly own: readonly UnstructuredObject[];
  readonly certManager: readonly UnstructuredObject[];
}

/** The contents of a chart in which the value `certManager.enabled` selects the certificate issuer. */
export interface CertificateChoice {
  /** The objects of both alternatives. */
  readonly objects: readonly UnstructuredObject[];
  /** Returns the condition of an object that exists in only one alternative, or undefined. */
  ofObject(object: UnstructuredObject): string | undefined;
  /** Returns the condition of a manager argument, or of a volume or mount by its name. */
  ofPart(part: string): string | undefined;
  /** Returns the condition of an annotation. */
  ofAnnotation(name: string): string | undefined;
}

/** Returns a choice without alternatives: every object is unconditional. */
export function noChoice(objects: readonly UnstructuredObject[]): CertificateChoice {
  const always = (): undefined => undefined;
  return { objects, ofObject: always, ofPart: always, ofAnnotation: always };
}

/** Compares both alternatives and merges them. */
export function certificateChoice({ own, certManager }: Alternatives): CertificateChoice {
  const keys = { own: new Set(own.map(keyOf)), certManager: new Set(certManager.map(keyOf)) };
  const parts = { own: partsOf(own), certManager: partsOf(certManager) };
  const conditionIn = (sets: { readonly own: ReadonlySet<string>; readonly certManager: ReadonlySet<string> }) => {
    return (each: string): string | undefined => {
      if (!sets.own.has(each)) return byCertManager;
      return sets.certManager.has(each) ? undefined : byOperator;
    };
  };
  const ofKey = conditionIn(keys);
  const ofPart = conditionIn(parts);
  const joined = certManager.map((object) => {
    const other = own.find((each) => keyOf(each) === keyOf(object));
    return object.kind === 'Deployment' && other ? withArgsOf(object, other) : object;
  });
  return {
    objects: [...joined, ...own.filter((each) => !keys.certManager.has(keyOf(each)))],
    ofObject: (object) => ofKey(keyOf(object)),
    ofPart: (part) => ofPart(flagOf(part)),
    // Webhook certificates are only needed if webhooks are enabled.
    ofAnnotation: (name) => (name === injection ? both('.Values.webhook.enabled', byCertManager) : undefined),
  };
}

/** Returns an object's kind and name, as rendered before the namespace is known. */
export function keyOf({ kind, metadata }: UnstructuredObject): string {
  return `${kind} ${metadata?.name}`;
}

function partsOf(objects: readonly UnstructuredObject[]): ReadonlySet<string> {
  const managers = objects.filter(({ kind }) => kind === 'Deployment').map(managerParts);
  return new Set(
    managers.flatMap(({ pod, container }) => [
      ...(container.args ?? []).map(flagOf),
      ...(pod.volumes ?? []).map(({ name }) => name),
      ...(container.volumeMounts ?? []).map(({ name }) => name),
    ]),
  );
}

/** Returns the name of a flag. Its value may contain names that the templates replace. */
function flagOf(argument: string): string {
  return argument.split('=')[0] ?? argument;
}

/** Adds the arguments of the other deployment. Volumes are not merged: only the cert-manager deployment has them. */
function withArgsOf(deployment: UnstructuredObject, other: UnstructuredObject): UnstructuredObject {
  const { pod, container } = managerParts(deployment);
  const args = [...new Set([...(container.args ?? []), ...(managerParts(other).container.args ?? [])])];
  const containers = pod.containers.map((each) => (each === container ? { ...each, args } : each));
  // Both deployments are rendered from the project's own manager.yaml.
  const spec = deployment['spec'] as { readonly template: { readonly metadata?: object; readonly spec: object } };
  return { ...deployment, spec: { ...spec, template: { ...spec.template, spec: { ...pod, containers } } } };
}
