/**
 * Finds and rewrites what a WGSL text does with its arrays: `name[index]` read and `name[index] = value;` written.
 * Kernels are plain text over plain arrays; what lies below an array (a packed type, a bounds check) is put there
 * afterwards by passes built on this.
 */

/** `@group(0) @binding(B) var<storage, ACCESS> NAME: array<ELEMENT>;` */
export interface StorageDeclaration {
  readonly text: string;
  readonly binding: number;
  readonly access: 'read' | 'read_write';
  readonly name: string;
  readonly element: string;
}

export function storageDeclarations(wgsl: string): readonly StorageDeclaration[] {
  const pattern = /@group\(0\) @binding\((\d+)\) var<storage, (read|read_write)> (\w+): array<([\w<>]+)>;/g;
  return [...wgsl.matchAll(pattern)].map(([text, binding, access, name = '', element = '']) => ({
    text,
    binding: Number(binding),
    access: access === 'read' ? 'read' : 'read_write',
    name,
    element,
  }));
}

export interface AccessRewriter {
  /** The expression that stands for `name[index]`. */
  read(index: string): string;
  /** The statement that stands for `name[index] = value;`; absent: the index alone is rewritten, by `read`. */
  write?(index: string, value: string): string;
}

/** The text with every access to the array `name` rewritten, also those inside indices and written values. */
export function rewriteAccesses(wgsl: string, name: string, rewriter: AccessRewriter): string {
  const access = new RegExp(`(?<![\\w.])${name}\\[`, 'g');
  let text = '';
  let from = 0;
  for (let found = access.exec(wgsl); found !== null; found = access.exec(wgsl)) {
    const begin = found.index + found[0].length;
    const end = closingBracket(wgsl, begin);
    const index = rewriteAccesses(wgsl.slice(begin, end), name, rewriter);
    const assignment = rewriter.write === undefined ? null : /^\s*=(?!=)/.exec(wgsl.slice(end + 1, end + 9));
    text += wgsl.slice(from, found.index);
    if (assignment === null || rewriter.write === undefined) {
      text += rewriter.read(index);
      from = end + 1;
    } else {
      const value = end + 1 + assignment[0].length;
      const semicolon = wgsl.indexOf(';', value);
      text += rewriter.write(index, rewriteAccesses(wgsl.slice(value, semicolon).trim(), name, rewriter));
      from = semicolon + 1;
    }
    access.lastIndex = from;
  }
  return text + wgsl.slice(from);
}

function closingBracket(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '[') depth++;
    if (text[at] === ']' && --depth === 0) return at;
  }
  throw new Error(`no closing bracket after ${text.slice(from - 20, from + 20)}`);
}
