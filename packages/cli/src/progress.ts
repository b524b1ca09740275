/** A progress bar on standard error where that is a terminal; nothing at all elsewhere. */
import cliProgress from 'cli-progress';

export interface ProgressStep {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export interface Progress {
  update(step: ProgressStep): void;
  /** Takes the bar away, so that other lines can be written. */
  stop(): void;
}

const SILENT: Progress = { update: () => undefined, stop: () => undefined };

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (stream.isTTY !== true) return SILENT;
  const bar = new cliProgress.SingleBar({
    stream,
    format: '{bar} {value}/{total} {stage}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    fps: 8,
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
    gracefulExit: true,
  });
  let running = false;
  return {
    update({ stage, done, total }) {
      if (!running) bar.start(Math.max(total, 1), done, { stage });
      running = true;
      bar.setTotal(Math.max(total, 1));
      bar.update(done, { stage });
    },
    stop() {
      if (running) bar.stop();
      running = false;
    },
  };
}

/** Runs `work` with a bar that is gone when it ends, whichever way. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = createProgress();
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}
