/** Text detection as a library; the `onegpu` command is `main.ts`. */
export * from './detect/annotate.ts';
export * from './detect/config.ts';
export * from './detect/detect-text.ts';
export * from './detect/postprocess.ts';
export * from './detect/preprocess.ts';
export * from './detect/rectangle.ts';
export * from './image.ts';
