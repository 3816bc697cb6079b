import { type FieldError, FieldPath, invalidField } from '@kubewright/apimachinery';

const levels = ['privileged', 'baseline', 'restricted'] as const;

/** A pod security level, from the least strict to the strictest. */
export type SecurityLevel = (typeof levels)[number];

/** A level as defined in a minor version of Kubernetes; `Infinity` means the latest. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  readonly minor: number;
}

/**
 * The levels of a namespace, by mode. A pod that violates the `enforce` level is rejected. A violation of the `audit`
 * level is recorded in the audit log, and a violation of the `warn` level causes a warning.
 */
export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

/** The policy of namespaces without labels. */
export const privilegedPolicy: SecurityPolicy = {
  enforce: { level: 'privileged', minor: Number.POSITIVE_INFINITY },
  audit: { level: 'privileged', minor: Number.POSITIVE_INFINITY },
  warn: { level: 'privileged', minor: Number.POSITIVE_INFINITY },
};

type Labels = Readonly<Record<string, string>> | undefined;

/** Returns the label of a mode: `pod-security.kubernetes.io/enforce`. */
export function modeLabel(mode: keyof SecurityPolicy, part: '' | '-version' = ''): string {
  return `pod-security.kubernetes.io/${mode}${part}`;
}

/**
 * Returns the policy that a namespace's labels define, and the errors in these labels. An invalid `enforce` label means
 * `restricted`; an invalid `audit` or `warn` label means `privileged`.
 */
export function policyOf(
  labels: Labels,
  defaults: SecurityPolicy,
): { readonly policy: SecurityPolicy; readonly faults: readonly FieldError[] } {
  const reader = new LabelReader(labels ?? {});
  const enforce = reader.read('enforce', defaults.enforce, 'restricted');
  const audit = reader.read('audit', defaults.audit, 'privileged');
  const warn = reader.read('warn', defaults.warn, 'privileged');
  const inherits =
    !reader.has(modeLabel('warn')) &&
    reader.isLevel(modeLabel('enforce')) &&
    compareLevels(enforce.level, warn.level) > 0;
  if (!inherits) return { policy: { enforce, audit, warn }, faults: reader.faults };
  const minor = reader.has(modeLabel('warn', '-version')) ? warn.minor : enforce.minor;
  return { policy: { enforce, audit, warn: { level: enforce.level, minor } }, faults: reader.faults };
}

/** Returns a positive number if the first level is stricter, a negative one if the second is, and zero if they are equal. */
export function compareLevels(a: SecurityLevel, b: SecurityLevel): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

/** Formats a level: `restricted:latest`, `baseline:v1.30`. */
export function formatLevel({ level, minor }: LevelVersion): string {
  return `${level}:${Number.isFinite(minor) ? `v1.${minor}` : 'latest'}`;
}

class LabelReader {
  readonly faults: FieldError[] = [];
  readonly #labels: Readonly<Record<string, string>>;

  constructor(labels: Readonly<Record<string, string>>) {
    this.#labels = labels;
  }

  has(label: string): boolean {
    return Object.hasOwn(this.#labels, label);
  }

  isLevel(label: string): boolean {
    return this.has(label) && levels.some((level) => level === this.#labels[label]);
  }

  read(mode: keyof SecurityPolicy, defaults: LevelVersion, fallback: SecurityLevel): LevelVersion {
    return { level: this.#level(modeLabel(mode), defaults.level, fallback), minor: this.#minor(mode, defaults.minor) };
  }

  #level(label: string, otherwise: SecurityLevel, fallback: SecurityLevel): SecurityLevel {
    if (!this.has(label)) return otherwise;
    const found = levels.find((level) => level === this.#labels[label]);
    if (found === undefined) this.#fault(label, `must be one of ${levels.join(', ')}`);
    return found ?? fallback;
  }

  #minor(mode: keyof SecurityPolicy, otherwise: number): number {
    const label = modeLabel(mode, '-version');
    const text = this.#labels[label];
    if (!this.has(label) || text === undefined) return otherwise;
    const [, minor] = /^v1\.(\d|[1-9]\d*)$/.exec(text) ?? [];
    if (minor === undefined && text !== 'latest') this.#fault(label, 'must be "latest" or "v1.x"');
    return minor === undefined ? Number.POSITIVE_INFINITY : Number(minor);
  }

  #fault(label: string, detail: string): void {
    this.faults.push(invalidField(FieldPath.of('metadata', 'labels').key(label), this.#labels[label], detail));
  }
}
