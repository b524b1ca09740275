/** The models and pictures that the page offers; plain data, sent to it as `bundled.json`. */
import type { TestModelName } from '@onegpu/test-models';

export interface BundledModel {
  readonly name: TestModelName;
  readonly title: string;
  /** Relative to the page. */
  readonly file: string;
  /** Order of the colour planes the network was made for; both are normalised as ImageNet is. */
  readonly channelOrder: 'rgb' | 'bgr';
  /** What to know about its answers. */
  readonly note: string;
}

export interface BundledPicture {
  readonly title: string;
  readonly file: string;
}

const SEEDED = 'Its weights are random: times are those of the network, answers mean nothing.';

export const BUNDLED_MODELS: readonly BundledModel[] = [
  model('ocr-det', 'PP-OCRv4 text detection', 'bgr', ''),
  model('dbnet_r18', 'DBNet ResNet-18, text detection', 'rgb', SEEDED),
  model('mobilenet_v3_large', 'MobileNetV3 large, classifier', 'rgb', SEEDED),
  model('resnet50', 'ResNet-50, classifier', 'rgb', SEEDED),
  model('ocr-cls', 'PP-OCR text direction, classifier', 'bgr', ''),
];

export const BUNDLED_PICTURES: readonly BundledPicture[] = [{ title: 'Sign', file: 'pictures/sign.png' }];

function model(
  name: TestModelName,
  title: string,
  channelOrder: BundledModel['channelOrder'],
  note: string,
): BundledModel {
  return { name, title, file: `models/${name}.onnx`, channelOrder, note };
}
