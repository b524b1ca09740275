/** Text detection on the GPU: the words of the picture, and the same boxes as from onnxruntime's probability map. */
import { InferenceSession, Tensor } from '@onegpu/onnx';
import {
  intersectionOverUnion,
  ocrDetectionPath,
  ortCpu,
  readSignDescription,
  signImagePath,
} from '@onegpu/test-models';
import { expectWithin, testDevice, WHOLE_MODEL_TOLERANCE } from '@onegpu/testing';
import { expect, it } from 'vitest';
import { type DetectionSession, detectText } from '../src/index.ts';

/** Least overlap of a box with the rectangle its line was drawn in, and most pixels between boxes of two runtimes. */
const LEAST_OVERLAP = 0.6;
const MOST_PIXELS_APART = 1;

const peer: DetectionSession = {
  inputNames: ['x'],
  outputNames: ['map'],
  async run(feeds) {
    const [output] = Object.values(await ortCpu(ocrDetectionPath(), feeds));
    if (!(output?.data instanceof Float32Array)) throw new Error('onnxruntime gave no floats');
    return { map: new Tensor('float32', output.data, output.dims) };
  },
};

it('finds one box a drawn line, where onnxruntime finds it', async () => {
  const session = await InferenceSession.create(ocrDetectionPath(), { device: await testDevice() });
  const ours = await detectText(session, signImagePath());
  await session.release();
  const theirs = await detectText(peer, signImagePath());
  const { lines } = await readSignDescription();
  expect(ours.boxes).toHaveLength(lines.length);
  for (const { text, corners } of lines) {
    const overlaps = ours.boxes.map((box) => intersectionOverUnion(box.corners, corners));
    expect(Math.max(...overlaps), text).toBeGreaterThanOrEqual(LEAST_OVERLAP);
  }
  const { width, height } = theirs.map;
  expectWithin(ours.map.data, theirs.map.data, WHOLE_MODEL_TOLERANCE.realWeights, [height, width]);
  expect(theirs.boxes).toHaveLength(ours.boxes.length);
  ours.boxes.forEach((box, index) => {
    box.corners.forEach(([x, y], corner) => {
      const [px = 0, py = 0] = theirs.boxes[index]?.corners[corner] ?? [];
      expect(Math.max(Math.abs(x - px), Math.abs(y - py))).toBeLessThanOrEqual(MOST_PIXELS_APART);
    });
  });
});
