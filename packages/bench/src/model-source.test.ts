import { describe, expect, it } from 'vitest';
import { parseModelSpec, resolveModel } from './model-source.ts';

describe('parseModelSpec', () => {
  it('splits off height and width', () => {
    expect(parseModelSpec('ocr-det@320x640')).toEqual({ name: 'ocr-det', height: 320, width: 640 });
  });

  it('leaves other names alone, an @ in a path included', () => {
    for (const name of ['resnet50', '/a@b/model.onnx', 'model@3x.onnx'])
      expect(parseModelSpec(name)).toEqual({ name });
  });

  it('refuses an empty picture', () => {
    expect(() => parseModelSpec('resnet50@0x224')).toThrow(RangeError);
  });
});

describe('resolveModel', () => {
  it("knows the checkout's models with their input dims", async () => {
    const model = await resolveModel('ocr-det@64x96');
    expect(model).toMatchObject({ label: 'ocr-det', dims: [1, 3, 64, 96] });
    expect((await resolveModel('ocr-cls')).dims).toEqual([1, 3, 48, 192]);
  });

  it('takes a path, and gives no dims for it', async () => {
    const { path } = await resolveModel('ocr-cls');
    expect(await resolveModel(path)).toEqual({ label: 'ch_ppocr_mobile_v2.0_cls_infer', path });
  });

  it('lists the known models for an unknown name', async () => {
    await expect(resolveModel('resnet51')).rejects.toThrow(/resnet51: .*resnet50/);
  });
});
