/**
 * A progress bar on standard error where that is a terminal; nothing at all elsewhere. A signal that ends the command
 * (Ctrl+C) first takes the bar away, which brings the cursor back.
 */
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
    format: '{bar} {stage} {amount}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    fps: 8,
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
    // The bar's own handler would only take the bar away and let the work run on.
    gracefulExit: false,
  });
  let forget: (() => void) | undefined;
  const stop = (): void => {
    if (forget === undefined) return;
    bar.stop();
    forget();
    forget = undefined;
  };
  return {
    update(step) {
      const total = Math.max(step.total, 1);
      const payload = { stage: step.stage, amount: formatAmount(step) };
      if (forget === undefined) {
        forget = onEndingSignal(stop);
        bar.start(total, step.done, payload);
      }
      bar.setTotal(total);
      bar.update(step.done, payload);
    },
    stop,
  };
}

/** Counts as they are, bytes (stage `read`) in MiB; an unknown total, 0, is left out. */
export function formatAmount({ stage, done, total }: ProgressStep): string {
  const tell = (count: number): string => (stage === 'read' ? (count / 2 ** 20).toFixed(1) : String(count));
  const amount = total === 0 ? tell(done) : `${tell(done)}/${tell(total)}`;
  return stage === 'read' ? `${amount} MiB` : amount;
}

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `before` when a signal comes, and lets the signal end the process then. Gives back what undoes it. */
function onEndingSignal(before: () => void): () => void {
  const end = (signal: NodeJS.Signals): void => {
    before();
    process.kill(process.pid, signal);
  };
  for (const signal of ENDING_SIGNALS) process.once(signal, end);
  return () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, end);
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
