import { describe, expect, it } from 'vitest';
import { closestNames, editDistance } from './closest-names.ts';

const NAMES = [
  'resnet18',
  'resnet50',
  'mobilenet_v3_small',
  'mobilenet_v3_small_dynamo',
  'ocr-det',
  'ocr-cls',
];

describe('closestNames', () => {
  it.each([
    ['mobilnet_v3_small', ['mobilenet_v3_small']],
    ['MobileNetV3_small', ['mobilenet_v3_small']],
    ['ocr_det', ['ocr-det']],
    ['resnet51', ['resnet50']],
    ['ocr', ['ocr-det', 'ocr-cls']],
    ['RES', ['resnet18', 'resnet50']],
    ['mobilenet_v3_smal', ['mobilenet_v3_small']],
    ['mobilnet', ['mobilenet_v3_small', 'mobilenet_v3_small_dynamo']],
    ['mobile', ['mobilenet_v3_small', 'mobilenet_v3_small_dynamo']],
    ['r', []],
    ['yolo', []],
    ['inception_v3', []],
  ])('of %s', (written, names) => {
    expect(closestNames(written, NAMES)).toEqual(names);
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['abcd', 'bcda', 2],
  ])('from "%s" to "%s"', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });
});
