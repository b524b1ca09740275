import { describe, expect, it } from 'vitest';
import { publishedWgsl, WGSL_FILE } from './published-wgsl.mjs';

describe('published WGSL', () => {
  it('has neither comments nor indentation, and as many lines', () => {
    const text = [
      '/** Of a kernel. */',
      'export const KERNEL = `fn main() {',
      '  // Invocations past the end stop.',
      '  let a = 4u / b; // in vec4',
      '  dst[a] = src[a];',
      '}`; // the end',
      '//# sourceMappingURL=kernel.wgsl.js.map',
    ].join('\n');
    expect(publishedWgsl(text)).toBe(
      [
        '/** Of a kernel. */',
        'export const KERNEL = `fn main() {',
        '',
        'let a = 4u / b;',
        'dst[a] = src[a];',
        '}`;',
        '//# sourceMappingURL=kernel.wgsl.js.map',
      ].join('\n'),
    );
  });

  it('leaves what a string or a template goes on behind', () => {
    for (const line of ["const a = 'b: u32; // c';", 'const a = `b: u32; // c`;', 'const a = "//b";']) {
      expect(publishedWgsl(line)).toBe(line);
    }
  });

  it('stands in files of that name alone', () => {
    expect(
      ['a.wgsl.ts', 'a/b.wgsl.js', 'wgsl.ts', 'a.wgsl.d.ts'].filter((name) => WGSL_FILE.test(name)),
    ).toEqual(['a.wgsl.ts', 'a/b.wgsl.js']);
  });
});
