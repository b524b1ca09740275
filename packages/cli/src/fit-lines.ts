/** Text on lines that a terminal shows whole: longer ones are broken between words, never within one. */

/** A short text before a gap of two spaces or more: `memory           arenas ...`. */
const LABEL = /^ *\S{1,16}(?: \S{1,16}){0,2} {2,}(?=\S)/;

/** Rows of Markdown tables and frames of a stack mean something only whole. */
const WHOLE = /^(\|| {4}at )/;

/** What follows a break stands under the text behind the line's label, or two columns further in than the line. */
export function fitLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= width || WHOLE.test(line) ? line : breakLine(line, width)))
    .join('\n');
}

/** A command for a POSIX shell: what goes on behind a break has a backslash before it. */
export function fitCommand(command: string, indent: string, width: number): string {
  return fitLines(`${indent}${command}`, width - ' \\'.length).replaceAll('\n', ' \\\n');
}

function breakLine(line: string, width: number): string {
  const margin = line.search(/\S|$/);
  const label = LABEL.exec(line)?.[0].length;
  const indent = ' '.repeat(label ?? margin + 2);
  const lines: string[] = [];
  let rest = line;
  for (let begin = label ?? margin; rest.length > width; begin = indent.length) {
    const at = placeToBreak(rest, begin, width);
    if (at === undefined) break;
    lines.push(rest.slice(0, at));
    rest = `${indent}${rest.slice(at).trimStart()}`;
  }
  return [...lines, rest].join('\n');
}

/** Behind the last comma or semicolon of the second half, else behind the last word that fits, else behind the first. */
function placeToBreak(line: string, begin: number, width: number): number | undefined {
  const gaps = Array.from(line.matchAll(/(?<=\S) +(?=\S)/g), (match) => match.index).filter(
    (at) => at > begin,
  );
  const fitting = gaps.filter((at) => at <= width);
  return (
    fitting.findLast((at) => at > width / 2 && /[,;]/.test(line[at - 1] ?? '')) ?? fitting.at(-1) ?? gaps[0]
  );
}
