export type { Predicate } from './predicates.ts';
export {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  labelsMatch,
  not,
  objectMatches,
  or,
  type PredicateFuncs,
  predicateFuncs,
  resourceVersionChanged,
} from './predicates.ts';
