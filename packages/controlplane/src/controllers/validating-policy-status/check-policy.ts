import type { ExpressionWarning, ValidatingAdmissionPolicy } from '@kubewright/apimachinery/admissionregistration/v1';
import {
  CelCompileError,
  type CelEnvironment,
  type CelExpression,
  compileExpression,
  kubernetesEnvironment,
} from '@kubewright/schema';
import { AuthorizerValue, policyVariables, type SchemaNode } from '@kubewright/schema/internal';
import { kindText, policyKinds } from './policy-kinds.ts';
import type { ServedKind } from './served-kinds.ts';

type ExpressionType = CelExpression['program']['resultType'];

/** The environment of a policy's expressions, and the types of its variables. */
interface PolicyTypes {
  readonly environment: CelEnvironment;
  readonly object: SchemaNode;
  /** `dyn` if the kind of the parameters is not known; undefined if the policy has no parameters. */
  readonly params: SchemaNode | 'dyn' | undefined;
}

/**
 * Type-checks the validation and message expressions of a policy against the kinds of objects that it matches. Mirrors
 * `TypeChecker.Check` (1.36).
 */
export function checkPolicy(
  policy: ValidatingAdmissionPolicy,
  served: readonly ServedKind[],
): readonly ExpressionWarning[] {
  const kinds = policyKinds(policy, served);
  const params = paramsType(policy, served);
  const environment = kubernetesEnvironment();
  const warnings: ExpressionWarning[] = [];
  const check = (fieldRef: string, source: string): void => {
    const found = kinds.flatMap((kind) => {
      const errors = typeErrors(source, policy, { environment, object: kind.schema(), params });
      return errors === undefined ? [] : [`${kindText(kind)}: ${errors}\n`];
    });
    if (found.length > 0) warnings.push({ fieldRef, warning: found.join('\n') });
  };
  for (const [index, { expression, messageExpression }] of (policy.spec?.validations ?? []).entries()) {
    check(`spec.validations[${index}].expression`, expression);
    if (messageExpression) check(`spec.validations[${index}].messageExpression`, messageExpression);
  }
  return warnings;
}

function paramsType({ spec }: ValidatingAdmissionPolicy, served: readonly ServedKind[]): PolicyTypes['params'] {
  const { apiVersion, kind } = spec?.paramKind ?? {};
  if (kind === undefined) return undefined;
  const found = served.find(
    (one) => one.kind === kind && [one.group, one.version].filter(Boolean).join('/') === apiVersion,
  );
  return found?.schema() ?? 'dyn';
}

/** Returns the type errors in an expression, or undefined if it has none. */
function typeErrors(source: string, policy: ValidatingAdmissionPolicy, types: PolicyTypes): string | undefined {
  const variables = new Map<string, ExpressionType | 'dyn'>();
  for (const { name, expression } of policy.spec?.variables ?? []) {
    const compiled = compile(expression, types, variables);
    variables.set(name, compiled instanceof CelCompileError ? 'dyn' : compiled.program.resultType);
  }
  const compiled = compile(source, types, variables);
  return compiled instanceof CelCompileError ? compiled.message : undefined;
}

function compile(
  source: string,
  { environment, object, params }: PolicyTypes,
  variables: ReadonlyMap<string, ExpressionType | 'dyn'>,
): CelExpression | CelCompileError {
  const named = [...variables].map(([name, type]) => [`variables.${name}`, type] as const);
  try {
    return compileExpression(source, {
      environment,
      variables: {
        object,
        oldObject: object,
        ...policyVariables,
        ...(params && { params }),
        ...Object.fromEntries(named.flatMap(([name, type]) => (type === 'dyn' ? [[name, type] as const] : []))),
      },
      opaque: {
        authorizer: AuthorizerValue.celType,
        ...Object.fromEntries(named.flatMap(([name, type]) => (type === 'dyn' ? [] : [[name, type] as const]))),
      },
    });
  } catch (error) {
    if (error instanceof CelCompileError) return error;
    throw error;
  }
}
