import { apiVersionOf, type Kind, type KubernetesObject, KubewrightError, StatusError } from '@kubewright/apimachinery';

/** Thrown when setting a status field that the kind's CustomResourceDefinition does not declare. */
export class UndeclaredStatusFieldError extends KubewrightError {
  override readonly name = 'UndeclaredStatusFieldError';
  /** Retry once the CustomResourceDefinition is fixed. */
  readonly code = 'KW3045';
  /** The fields, such as `.status.url`. */
  readonly fields: readonly string[];

  constructor(
    kind: Kind<KubernetesObject>,
    options: { readonly name: string; readonly fields: readonly string[]; readonly cause: unknown },
  ) {
    const { name, fields, cause } = options;
    const paths = fields.map((field) => field.replace(/^\./, ''));
    super(
      {
        what: `cannot set the status of ${kind.kind} ${name} (${apiVersionOf(kind)})`,
        why: `its CustomResourceDefinition does not declare ${paths.join(', ')}`,
        remedy: `add ${paths.length === 1 ? 'this field' : 'these fields'} to the status type of ${kind.kind} (the second type argument of defineKind), then regenerate and install the CustomResourceDefinition`,
      },
      { cause },
    );
    this.fields = fields;
  }
}

/** Returns the status fields that the server rejected because the schema does not declare them. */
export function undeclaredStatusFields(error: unknown): readonly string[] {
  if (!(error instanceof StatusError)) return [];
  return [...error.message.matchAll(/(\.status\.\S+): field not declared in schema/g)].map((match) => match[1] ?? '');
}
