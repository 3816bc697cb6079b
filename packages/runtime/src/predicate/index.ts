export type { Predicate } from './predicate.ts';
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
