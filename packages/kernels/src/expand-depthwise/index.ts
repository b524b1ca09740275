export { EXPAND_DEPTHWISE_CASES } from './cases.ts';
export {
  MAP_EXCITE_ALGORITHMS,
  type MapExciteProblem,
  makeMapExciteProblem,
  planMapExcite,
} from './map-excite.ts';
export {
  type ExpandDepthwiseProblem,
  type ExpandDepthwiseRequest,
  makeExpandDepthwiseProblem,
} from './problem.ts';
export { EXPAND_DEPTHWISE_ALGORITHMS, planExpandDepthwise } from './select.ts';
