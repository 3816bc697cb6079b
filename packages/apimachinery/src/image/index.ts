export { type ImageReference, ImageReferenceError, parseImageReference } from './image-reference.ts';
