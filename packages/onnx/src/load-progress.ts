/** What loading a model reports while it runs. */

/** `read`: bytes of the model and its data files; the other stages count nodes, layers, pipelines and constants. */
export type LoadStage = 'read' | 'import' | 'tune' | 'compile' | 'upload';

export interface LoadProgress {
  readonly stage: LoadStage;
  readonly done: number;
  /** 0 while unknown (a server that does not say how long its answer is). */
  readonly total: number;
}

export type ProgressListener = (progress: LoadProgress) => void;
