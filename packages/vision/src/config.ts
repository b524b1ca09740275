/**
 * Every value of PP-OCR's text detection in one object: how a picture becomes the network's input and how its
 * probability map becomes boxes (differentiable binarisation, https://arxiv.org/abs/1911.08947; the numbers are
 * those of PP-OCRv4's published detection configuration, https://github.com/PaddlePaddle/PaddleOCR).
 */

export interface NormalizeConfig {
  /** Subtracted from each channel after scaling bytes to 0..1, in `channelOrder`. */
  readonly mean: readonly [number, number, number];
  /** Divides each channel after the mean is subtracted, in `channelOrder`. */
  readonly std: readonly [number, number, number];
  /** Order of the planes in the tensor. */
  readonly channelOrder: 'rgb' | 'bgr';
}

export interface ResizeConfig {
  /** Pixels that the longer (`max`) or shorter (`min`) side is limited to. */
  readonly limitSideLength: number;
  /** `max` shrinks pictures whose longer side is over the limit, `min` enlarges those whose shorter side is under it. */
  readonly limitType: 'max' | 'min';
  /** Both sides of the input are rounded to a multiple of this many pixels, at least one. */
  readonly sideMultiple: number;
}

export interface BoxConfig {
  /** A pixel is text where its probability is over this, 0..1. */
  readonly binaryThreshold: number;
  /** A box is kept where the mean probability inside it reaches this, 0..1. */
  readonly boxThreshold: number;
  /** A box grows on each side by area * ratio / perimeter. */
  readonly unclipRatio: number;
  /** Shortest side a box may have in the probability map, in pixels, before it grows. */
  readonly minimumSide: number;
}

export interface DetectionConfig extends NormalizeConfig, ResizeConfig, BoxConfig {}

/** PP-OCRv4 detection; the mean and the deviation are ImageNet's, applied to blue, green and red in that order. */
export const PP_OCR_DETECTION: DetectionConfig = {
  mean: [0.485, 0.456, 0.406],
  std: [0.229, 0.224, 0.225],
  channelOrder: 'bgr',
  limitSideLength: 960,
  limitType: 'max',
  sideMultiple: 32,
  binaryThreshold: 0.3,
  boxThreshold: 0.6,
  unclipRatio: 1.5,
  minimumSide: 3,
};
