export {
  type ChannelOrder,
  channelCount,
  type ImageExtents,
  type ImageFilter,
  type ImageFit,
  type ImageNormalization,
  type ImagePlacement,
  type ImageProblem,
  imageParams,
  imageParamsBytes,
  imageWorkgroups,
  MOST_IMAGE_EXTENT,
  placeImage,
} from './problem.ts';
export { resampleWgsl } from './resample.wgsl.ts';
