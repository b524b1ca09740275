/** Text detection on the project's picture, with onnxruntime's CPU provider as the network: the pipeline alone. */
import { Tensor } from '@onegpu/onnx';
import {
  intersectionOverUnion,
  ocrDetectionPath,
  ortCpu,
  readSignDescription,
  signImagePath,
} from '@onegpu/test-models';
import { describe, expect, it } from 'vitest';
import { type DetectionSession, detectText } from './detect-text.ts';

/** Least overlap of a box with the rectangle its line was drawn in. */
const LEAST_OVERLAP = 0.6;

const session: DetectionSession = {
  inputNames: ['x'],
  outputNames: ['map'],
  async run(feeds) {
    const outputs = await ortCpu(ocrDetectionPath(), feeds);
    const [output] = Object.values(outputs);
    if (!(output?.data instanceof Float32Array)) throw new Error('onnxruntime gave no floats');
    return { map: new Tensor('float32', output.data, output.dims) };
  },
};

describe('detectText', () => {
  it('finds one box a drawn line, in reading order', async () => {
    const { lines, width, height } = await readSignDescription();
    const { boxes, picture, inputDims } = await detectText(session, signImagePath());
    expect([picture.width, picture.height]).toEqual([width, height]);
    expect(inputDims).toEqual([1, 3, height, width]);
    expect(boxes).toHaveLength(lines.length);
    const matches = lines.map(({ text, corners }) => {
      const overlaps = boxes.map((box) => intersectionOverUnion(box.corners, corners));
      const best = Math.max(...overlaps);
      return { text, box: overlaps.indexOf(best), overlap: best };
    });
    for (const { text, overlap } of matches) expect(overlap, text).toBeGreaterThanOrEqual(LEAST_OVERLAP);
    expect(new Set(matches.map(({ box }) => box)).size).toBe(lines.length);
  });
});
