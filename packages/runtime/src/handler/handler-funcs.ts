import type { EventHandler, HandlerContext } from './event-handler.ts';
import type { CreateEvent, DeleteEvent, GenericEvent, UpdateEvent } from './events.ts';

/** Functions by event type; events without a function are ignored. */
export interface HandlerFuncs<T> {
  create?(event: CreateEvent<T>, context: HandlerContext): void;
  update?(event: UpdateEvent<T>, context: HandlerContext): void;
  delete?(event: DeleteEvent<T>, context: HandlerContext): void;
  generic?(event: GenericEvent<T>, context: HandlerContext): void;
}

/**
 * Combines one function per event type into a handler.
 *
 * @example
 * ```ts
 * handlerFuncs<Pod>({ delete: (event, context) => context.enqueue({ name: event.object.namespace }) })
 * ```
 */
export function handlerFuncs<T>(funcs: HandlerFuncs<T>): EventHandler<T> {
  return (event, context) => {
    switch (event.type) {
      case 'create':
        return funcs.create?.(event, context);
      case 'update':
        return funcs.update?.(event, context);
      case 'delete':
        return funcs.delete?.(event, context);
      case 'generic':
        return funcs.generic?.(event, context);
    }
  };
}
