/** Text detection as a library; the `onegpu` command is `main.ts`. */
export * from '@onegpu/vision';
export * from './detect/annotate.ts';
export * from './detect/detect-text.ts';
export * from './detect/preprocess.ts';
export * from './image.ts';
