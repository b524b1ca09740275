/** Lists on as many lines as the terminal needs. */
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
