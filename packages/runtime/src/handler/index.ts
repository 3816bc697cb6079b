export { enqueueForObject } from './enqueue-for-object.ts';
export { type EnqueueForOwnerOptions, enqueueForOwner } from './enqueue-for-owner.ts';
export { enqueueMapped, type MapFunc } from './enqueue-mapped.ts';
export type { EventHandler, HandlerContext, ReconcileRequest } from './event-handler.ts';
export { initialListPriority, withPriority } from './event-priority.ts';
export type { CreateEvent, DeleteEvent, GenericEvent, ObjectEvent, UpdateEvent } from './events.ts';
export { type HandlerFuncs, handlerFuncs } from './handler-funcs.ts';
export type { ObjectView } from './object-view.ts';
