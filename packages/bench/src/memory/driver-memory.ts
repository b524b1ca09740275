/**
 * GPU memory as NVIDIA's driver counts it, through `nvidia-smi`: of each process where it lists the process (those of
 * Vulkan often are not), and of all devices together. Read over and over while somebody works; the peak counts.
 * https://docs.nvidia.com/deploy/nvidia-smi/
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const PROGRAM = 'nvidia-smi';
const FORMAT = '--format=csv,noheader,nounits';
const PERIOD_MS = 50;
const MEBIBYTE = 2 ** 20;

/** Peaks in bytes; undefined where the driver told nothing. */
export interface DriverPeaks {
  readonly device: number | undefined;
  readonly process: number | undefined;
}

/** Whether the driver can be asked on this machine. */
export async function hasDriverMemory(): Promise<boolean> {
  const query = promisify(execFile)(PROGRAM, ['--query-gpu=index,memory.used', FORMAT], { timeout: 20_000 });
  return query.then(
    ({ stdout }) => parsePairs(stdout).length > 0,
    () => false,
  );
}

export class DriverWatch {
  readonly #readers: readonly ChildProcess[];
  readonly #devices = new PeakOfSum();
  readonly #processes = new Map<number, number>();
  readonly #kill = (): void => {
    for (const reader of this.#readers) reader.kill();
  };

  constructor() {
    this.#readers = [
      readLines(['--query-gpu=index,memory.used', FORMAT], (line) => {
        for (const [index, used] of parsePairs(line)) this.#devices.set(index, used * MEBIBYTE);
      }),
      readLines(['--query-compute-apps=pid,used_memory', FORMAT], (line) => {
        for (const [pid, used] of parsePairs(line)) {
          this.#processes.set(pid, Math.max(this.#processes.get(pid) ?? 0, used * MEBIBYTE));
        }
      }),
    ];
    process.once('exit', this.#kill);
  }

  /** What was seen so far, for the process of that id. */
  peaks(pid: number | undefined): DriverPeaks {
    return {
      device: this.#devices.peak,
      process: pid === undefined ? undefined : this.#processes.get(pid),
    };
  }

  stop(): void {
    this.#kill();
    process.off('exit', this.#kill);
  }
}

/** Largest sum over the devices at one time. */
export class PeakOfSum {
  readonly #latest = new Map<number, number>();
  #peak: number | undefined;

  set(index: number, value: number): void {
    this.#latest.set(index, value);
    let sum = 0;
    for (const used of this.#latest.values()) sum += used;
    this.#peak = Math.max(this.#peak ?? 0, sum);
  }

  get peak(): number | undefined {
    return this.#peak;
  }
}

/** `12, 345` on each line; lines of another form (`[N/A]`, remarks) are left out. */
export function parsePairs(text: string): readonly (readonly [number, number])[] {
  return [...text.matchAll(/^\s*(\d+),\s*(\d+)\s*$/gm)].map((match) => [Number(match[1]), Number(match[2])]);
}

function readLines(words: readonly string[], onLine: (line: string) => void): ChildProcess {
  const reader = spawn(PROGRAM, [...words, '-lms', String(PERIOD_MS)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let rest = '';
  reader.stdout.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  // A driver that cannot be asked tells nothing.
  reader.on('error', () => undefined);
  return reader;
}
