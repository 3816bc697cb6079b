export type { Status, StatusCause, StatusDetails, StatusReason } from './status.ts';
export {
  hasReason,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  StatusError,
} from './status-error.ts';
