/**
 * QuantizeLinear and DequantizeLinear: one scale and zero point for the tensor, an index of an axis, or a block.
 * https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html, https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
 */
import type { Layout } from '../shared/layout.ts';
import type { QuantizedType } from '../shared/quantized-type.ts';
import { requireTensor } from '../shared/tensor-size.ts';
import { makeScaleMap, type ScaleMap } from './scale-map.ts';

export interface QuantizeProblem {
  readonly dims: readonly number[];
  readonly scaleDims: readonly number[];
  readonly layout: Layout;
  readonly map: ScaleMap;
  readonly src: 'float' | 'int32';
  readonly dst: QuantizedType;
  readonly zeroPoint: boolean;
  /** Type of the division: both its sides and the quotient are rounded to it. */
  readonly precision: 'float32' | 'float16';
}

export interface DequantizeProblem {
  readonly dims: readonly number[];
  readonly scaleDims: readonly number[];
  readonly layout: Layout;
  readonly map: ScaleMap;
  readonly src: QuantizedType | 'int32';
  readonly zeroPoint: boolean;
}

interface ScaleRequest {
  readonly dims: readonly number[];
  readonly scaleDims: readonly number[];
  readonly zeroPoint?: boolean;
  /** Default 1. */
  readonly axis?: number;
  /** Default 0: no blocks. */
  readonly blockSize?: number;
  readonly layout?: Layout;
}

export interface QuantizeRequest extends ScaleRequest {
  readonly src?: QuantizeProblem['src'];
  readonly dst: QuantizedType;
  readonly precision?: QuantizeProblem['precision'];
}

export interface DequantizeRequest extends ScaleRequest {
  readonly src: DequantizeProblem['src'];
}

/** @throws GpuKernelShapeError where the scales do not fit the tensor. */
export function makeQuantizeProblem(request: QuantizeRequest): QuantizeProblem {
  const { src = 'float', dst, precision = 'float32' } = request;
  return { ...scaled('QuantizeLinear', request), src, dst, precision };
}

/** @throws GpuKernelShapeError where the scales do not fit the tensor. */
export function makeDequantizeProblem(request: DequantizeRequest): DequantizeProblem {
  return { ...scaled('DequantizeLinear', request), src: request.src };
}

function scaled(
  operator: string,
  { dims, scaleDims, zeroPoint = false, axis = 1, blockSize = 0, layout = 'nchw' }: ScaleRequest,
): Omit<DequantizeProblem, 'src'> {
  requireTensor(operator, 'x', dims);
  const map = makeScaleMap(operator, { dims, scaleDims, axis, blockSize, layout });
  return { dims, scaleDims, layout, map, zeroPoint };
}
