export * from './cases.ts';
export * from './concat.ts';
export * from './convert-layout.ts';
export * from './pad.ts';
export * from './rearrange.ts';
export * from './repeat.ts';
export {
  MOVE_ALGORITHMS,
  MOVE_PAIR_ALGORITHMS,
  planSplit,
  type SplitRequest,
  selectMove,
  splitViews,
} from './select.ts';
export * from './slice.ts';
export * from './view.ts';
