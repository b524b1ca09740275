/** Pictures in and out of sessions: `@onegpu/onnx/image`. Runs in pages, in workers and in Node.js. */
export type { ChannelOrder, ImageFilter, ImageFit } from '@onegpu/kernels';
export { ImageInput, type ImageInputOptions, imageInput } from './image-input.ts';
export type { ExternalImage, ImageBytes, ImageSource } from './image-source.ts';
