/** What outputs of different kinds are read as. */
import { type GraphValue, Tensor } from '@onegpu/onnx';
import { describe, expect, it } from 'vitest';
import { imageSpec, taskOf } from './model-task.ts';
import { cutOf } from './prepare-image.ts';
import { asProbabilities, readResult } from './results.ts';

const value = (name: string, dims: GraphValue['dims']): GraphValue => ({ name, type: 'float32', dims });
const picture = { width: 64, height: 32 };
const classifier = taskOf({
  inputs: [value('x', ['N', 3, 224, 224])],
  outputs: [value('y', ['N', 3])],
});
const detector = taskOf({
  inputs: [value('x', ['N', 3, 'H', 'W'])],
  outputs: [value('y', ['N', 1, 'H', 'W'])],
});

describe('taskOf', () => {
  it('takes a model with one picture, in the order of colours and the size it is said to have', () => {
    expect(classifier).toMatchObject({ freeSize: false, channelOrder: 'rgb', fit: 'cover' });
    expect(detector).toMatchObject({ freeSize: true, channelOrder: 'bgr', fit: 'fill' });
    const free = { inputs: [value('x', ['N', 3, 'H', 'W'])], outputs: [value('y', ['N', 2])] };
    const hinted = taskOf(free, { size: { width: 192, height: 48 } });
    expect(imageSpec(hinted, picture, 320).dims).toEqual([1, 3, 48, 192]);
  });

  it('limits the longer side of what is free', () => {
    expect(imageSpec(detector, { width: 1280, height: 640 }, 320).dims).toEqual([1, 3, 160, 320]);
    expect(imageSpec(classifier, { width: 1280, height: 640 }, 320).dims).toEqual([1, 3, 224, 224]);
  });

  it('refuses other inputs', () => {
    const two = [value('a', [1, 3, 8, 8]), value('b', [1])];
    expect(() => taskOf({ inputs: two, outputs: [value('y', [1, 2])] })).toThrow('one input is a picture');
  });
});

describe('readResult', () => {
  it('ranks classes, by name where there are names', () => {
    const scores = { y: new Tensor('float32', [1, 3, 2], [1, 3]) };
    const result = readResult({ ...classifier, classes: ['cat', 'dog'] }, scores, picture);
    expect(result).toMatchObject({ kind: 'classes', count: 3 });
    if (result.kind !== 'classes') return;
    expect(result.classes.map(({ name }) => name)).toEqual(['dog', 'class 2', 'cat']);
    expect(result.classes.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 5);
  });

  it('takes a map between 0 and 1 for text, any other for a map', () => {
    const text = { y: new Tensor('float32', new Float32Array(32), [1, 1, 4, 8]) };
    expect(readResult(detector, text, picture)).toMatchObject({ kind: 'text', boxes: [] });
    const depth = { y: new Tensor('float32', new Float32Array(64).fill(7), [1, 2, 4, 8]) };
    expect(readResult(detector, depth, picture)).toMatchObject({ kind: 'map', channels: 2 });
  });

  it('refuses what it cannot show', () => {
    const odd = { y: new Tensor('float32', new Float32Array(6), [2, 3]) };
    expect(() => readResult(classifier, odd, picture)).toThrow('cannot show this output');
    expect(() => readResult(classifier, {}, picture)).toThrow('got nothing');
  });
});

it('leaves probabilities as they are', () => {
  const given = Float32Array.of(0.25, 0.75);
  expect(asProbabilities(given)).toBe(given);
  expect([...asProbabilities(Float32Array.of(0, 0))]).toEqual([0.5, 0.5]);
});

it('cuts the middle out of a picture that is to cover a square', () => {
  const square = { width: 10, height: 10 };
  expect(cutOf(picture, square, 'cover')).toEqual({ x: 16, y: 0, width: 32, height: 32 });
  expect(cutOf(picture, square, 'fill')).toEqual({ x: 0, y: 0, width: 64, height: 32 });
});
