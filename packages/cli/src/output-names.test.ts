/** File names of outputs stay in their folder, are short enough, and differ from each other. */
import { describe, expect, it } from 'vitest';
import { outputFileNames } from './output-names.ts';

describe('outputFileNames', () => {
  it('keeps plain names', () => {
    expect(outputFileNames(['logits', 'save_infer_model-0.tmp_0'])).toEqual([
      'logits',
      'save_infer_model-0.tmp_0',
    ]);
  });

  it('leaves no way out of the folder', () => {
    expect(outputFileNames(['../../x', '/etc', '.', '', '..'])).toEqual([
      '__.._x',
      '_etc',
      '_',
      'output',
      '_-2',
    ]);
  });

  it('tells names apart that come out alike', () => {
    expect(outputFileNames(['a/b', 'a:b', 'A_B', 'a_b-2'])).toEqual(['a_b', 'a_b-2', 'A_B-3', 'a_b-2-2']);
  });

  it('shortens what no file system takes', () => {
    expect(outputFileNames(['x'.repeat(999)])[0]).toHaveLength(200);
  });
});
