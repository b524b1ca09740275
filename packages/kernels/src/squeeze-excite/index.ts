export { SQUEEZE_EXCITE_CASES } from './cases.ts';
export {
  makeSqueezeExciteProblem,
  type SqueezeExciteProblem,
  type SqueezeExciteRequest,
} from './problem.ts';
export { planSqueezeExcite, SQUEEZE_EXCITE_ALGORITHMS } from './select.ts';
