/** Pictures in and out of sessions: `@onegpu/onnx/image`. For pages and workers; `imageInput` for Node.js too. */
export type { ChannelOrder, ImageFilter, ImageFit } from '@onegpu/kernels/core';
export type { Colormap } from './colormap.ts';
export { type DrawOptions, drawTensor } from './draw-tensor.ts';
export { ImageInput, type ImageInputOptions, imageInput } from './image-input.ts';
export type { ExternalImage, ImageBytes, ImageSource } from './image-source.ts';
