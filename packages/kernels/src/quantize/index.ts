export { DEQUANTIZE_CASES, QUANTIZE_CASES } from './cases.ts';
export { planDynamicQuantize } from './dynamic.ts';
export {
  type DequantizeProblem,
  type DequantizeRequest,
  makeDequantizeProblem,
  makeQuantizeProblem,
  type QuantizeProblem,
  type QuantizeRequest,
} from './problem.ts';
export {
  DEQUANTIZE_ALGORITHMS,
  planDequantize,
  planQuantize,
  QUANTIZE_ALGORITHMS,
} from './select.ts';
