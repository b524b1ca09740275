/** The models and pictures that the page offers; plain data, sent to it as `bundled.json`. */
import type { PictureName, TestModelName } from '@onegpu/test-models';

export interface BundledModel {
  readonly name: TestModelName;
  readonly title: string;
  /** Relative to the page. */
  readonly file: string;
  /** Order of the colour planes the network was made for; both are normalised as ImageNet is. */
  readonly channelOrder: 'rgb' | 'bgr';
  /** What to know about its answers. */
  readonly note?: string;
  /** Sides to run at where the model leaves them free and is no detector. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Names of the classes, in the order of the output. */
  readonly classes?: readonly string[];
}

export interface BundledPicture {
  readonly name: PictureName;
  readonly title: string;
  readonly file: string;
}

const SEEDED = 'Its weights are random: times are those of the network, answers mean nothing.';

export const BUNDLED_MODELS: readonly BundledModel[] = [
  model('ocr-det', 'PP-OCRv4 text lines', { channelOrder: 'bgr' }),
  model('dbnet_r18', 'DBNet-R18 text lines', { channelOrder: 'rgb', note: SEEDED }),
  model('mobilenet_v3_large', 'MobileNetV3 large', { channelOrder: 'rgb', note: SEEDED }),
  model('resnet50', 'ResNet-50', { channelOrder: 'rgb', note: SEEDED }),
  model('ocr-cls', 'PP-OCR text direction', {
    channelOrder: 'bgr',
    note: 'For the picture of a single line of text, such as the one upside down.',
    size: { width: 192, height: 48 },
    classes: ['upright', 'upside down'],
  }),
];

export const BUNDLED_PICTURES: readonly BundledPicture[] = [
  picture('sign', 'Sign'),
  picture('receipt', 'Receipt and labels'),
  picture('line', 'One line, upside down'),
];

function picture(name: PictureName, title: string): BundledPicture {
  return { name, title, file: `pictures/${name}.png` };
}

function model(
  name: TestModelName,
  title: string,
  facts: Omit<BundledModel, 'name' | 'title' | 'file'>,
): BundledModel {
  return { name, title, file: `models/${name}.onnx`, ...facts };
}
