export { LabelSelector, type LabelSelectorObject } from './label-selector.ts';
export { type LabelOperator, type LabelRequirement, LabelSelectorError } from './requirement.ts';
