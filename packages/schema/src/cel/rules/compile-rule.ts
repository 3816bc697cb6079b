import type { SchemaNode } from '../../node/schema-node.ts';
import type { CelEnvironment } from '../environment.ts';
import { CelCompileError } from '../errors.ts';
import { type CelProgram, compileProgram } from '../program.ts';
import type { DeclType } from '../schema/decl-type.ts';
import { type CelType, optionalOf } from '../types/cel-type.ts';
import { FieldPathError, normalizeFieldPath } from './field-path.ts';
import type { ValidationRule } from './rule.ts';

/** A compiled rule. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: CelProgram;
  readonly messageProgram: CelProgram | undefined;
  readonly usesOldSelf: boolean;
  /** The path in reported problems, relative to the rule's node. */
  readonly fieldPath: string;
}

/** An error in one part of a rule. */
export interface RuleFault {
  readonly part: 'rule' | 'messageExpression' | 'optionalOldSelf' | 'fieldPath';
  readonly detail: string;
}

/** Compiles a rule for values of a type. Reports the same errors as the API server does when the CRD is created. */
export function compileRule(
  rule: ValidationRule,
  at: { readonly decl: DeclType; readonly environment: CelEnvironment },
): { readonly compiled: CompiledRule | undefined; readonly faults: readonly RuleFault[] } {
  const { type } = at.decl;
  if (rule.rule.trim() === '' || type === undefined) return { compiled: undefined, faults: [] };
  const fieldPath = relativePath(rule.fieldPath, at.decl.schema);
  if (fieldPath === undefined) {
    return { compiled: undefined, faults: [{ part: 'fieldPath', detail: 'must be a valid path' }] };
  }
  const variables = new Map<string, CelType>([
    ['self', type],
    ['oldSelf', rule.optionalOldSelf === true ? optionalOf(type) : type],
  ]);
  const compile = (source: string): CelProgram => compileProgram(source, { environment: at.environment, variables });
  const program = attempt('rule', '', () => compile(rule.rule));
  if ('fault' in program) return { compiled: undefined, faults: [program.fault] };
  if (program.value.resultType.kind !== 'bool') {
    return { compiled: undefined, faults: [{ part: 'rule', detail: 'cel expression must evaluate to a bool' }] };
  }
  const faults: RuleFault[] = [];
  const message = messageProgram(rule, compile, faults);
  const usesOldSelf = program.value.uses('oldSelf');
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    faults.push({ part: 'optionalOldSelf', detail: 'may not be set if oldSelf is not used in rule' });
  }
  return { compiled: { rule, program: program.value, messageProgram: message, usesOldSelf, fieldPath }, faults };
}

function attempt(
  part: RuleFault['part'],
  prefix: string,
  compile: () => CelProgram,
): { readonly value: CelProgram } | { readonly fault: RuleFault } {
  try {
    return { value: compile() };
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    const failed =
      error.issues.length > 0 ? 'compilation failed' : `${prefix === '' ? 'program ' : ''}instantiation failed`;
    return { fault: { part, detail: `${prefix}${failed}: ${error.message}` } };
  }
}

function messageProgram(
  rule: ValidationRule,
  compile: (source: string) => CelProgram,
  faults: RuleFault[],
): CelProgram | undefined {
  const { messageExpression } = rule;
  if (messageExpression === undefined || messageExpression === '') return undefined;
  const program = attempt('messageExpression', 'messageExpression ', () => compile(messageExpression));
  if ('fault' in program) {
    faults.push(program.fault);
    return undefined;
  }
  if (program.value.resultType.kind === 'string') return program.value;
  faults.push({ part: 'messageExpression', detail: 'messageExpression must evaluate to a string' });
  return undefined;
}

/** Returns the path in canonical form; undefined if the path does not exist in the schema. */
function relativePath(path: string | undefined, schema: SchemaNode): string | undefined {
  if (path === undefined || path === '') return '';
  try {
    return normalizeFieldPath(path, schema);
  } catch (error) {
    if (error instanceof FieldPathError) return undefined;
    throw error;
  }
}
