/** Results go to standard output, whole and in order; everything else to standard error. */
import { fitLines } from './fit-lines.ts';
import { terminalWidth } from './table.ts';

/** Ends quietly when the reader of a pipe has gone (`onegpu ... | head`). */
export function endOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
      throw error;
    });
  }
}

/** One or more lines of the result, none wider than the terminal. */
export function print(text: string): void {
  process.stdout.write(`${fitLines(text, terminalWidth())}\n`);
}

/** A line of the result that programs may read: in a terminal it is broken, elsewhere it is whole. */
export function printRecord(line: string): void {
  if (process.stdout.isTTY === true) print(line);
  else process.stdout.write(`${line}\n`);
}

/** The result as JSON; 64-bit integers become numbers where they are exact, decimal texts elsewhere. */
export function printJson(value: unknown): void {
  process.stdout.write(toJsonText(value));
}

/** What `printJson` prints, for files. */
export function toJsonText(value: unknown): string {
  return `${JSON.stringify(value, toJson, 2)}\n`;
}

function toJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return ArrayBuffer.isView(value) ? [...(value as Float32Array)] : value;
}

/** A remark beside the result, on standard error. */
export function note(text: string): void {
  process.stderr.write(`${fitMessage(`onegpu: ${text}`)}\n`);
}

/** Messages are broken where a terminal shows them; logs have them whole. */
export function fitMessage(text: string): string {
  const columns = process.stderr.columns ?? Number(process.env.COLUMNS);
  return Number.isSafeInteger(columns) && columns > 0 ? fitLines(text, columns) : text;
}
