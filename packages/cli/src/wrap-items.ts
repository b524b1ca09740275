/** Lists and sentences on as many lines as the terminal needs. */
import { terminalWidth } from './table.ts';

/** `head`, then the items with commas, further lines indented like it; an item is never broken. */
export function wrapItems(head: string, items: readonly string[], width = terminalWidth()): string {
  const lines = [head];
  items.forEach((item, index) => {
    const text = index + 1 < items.length ? `${item},` : item;
    const line = lines.at(-1) ?? '';
    const joined = line.length === head.length ? `${line}${text}` : `${line} ${text}`;
    if (joined.length <= width || line.length === head.length) lines[lines.length - 1] = joined;
    else lines.push(`${' '.repeat(head.length)}${text}`);
  });
  return lines.join('\n');
}

/** A text broken between its words, every line behind `indent`; a word is never broken. */
export function wrapWords(text: string, indent: string, width = terminalWidth()): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const joined = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && joined.length <= width) lines[lines.length - 1] = joined;
    else lines.push(`${indent}${word}`);
  }
  return lines.join('\n');
}
