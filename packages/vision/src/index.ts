/** From pictures to tensors and from tensors to text boxes; nothing of Node.js and nothing of the DOM. */
export * from './config.ts';
export * from './image-input.ts';
export * from './picture.ts';
export * from './postprocess.ts';
export * from './preprocess.ts';
export * from './probability-map.ts';
export * from './rectangle.ts';
