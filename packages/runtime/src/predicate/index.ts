export type { Predicate } from './predicate.ts';
export {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  not,
  or,
  resourceVersionChanged,
} from './predicates.ts';
