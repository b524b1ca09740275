/** Runs a plan of one image operator with dense operands in and out, whatever layout its problem has. */
import type { DispatchPlan } from '@onegpu/core';
import { expectEqual, runPlan, testDevice } from '@onegpu/testing';
import { type Layout, layoutElements, packNhwc4, unpackNhwc4 } from '../src/shared/layout.ts';

export interface DenseOperand {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

export interface LayoutRun {
  readonly layout: Layout;
  readonly inputs: Readonly<Record<string, DenseOperand>>;
  /** Inputs that no layout applies to: weights and bias. */
  readonly parameters?: Readonly<Record<string, Float32Array>>;
  readonly dstDims: readonly number[];
  /** Over float16 operands, see `runPlan`. */
  readonly half?: boolean;
}

/** The dense `dst`; fails where a padding lane of `nhwc4` does not hold zero. */
export async function runInLayout(plan: DispatchPlan, run: LayoutRun): Promise<Float32Array> {
  const { layout, dstDims, parameters = {}, half = false } = run;
  const images = Object.fromEntries(
    Object.entries(run.inputs).map(([operand, { data, dims }]) => [
      operand,
      layout === 'nhwc4' ? packNhwc4(data, dims) : data,
    ]),
  );
  const inputs = { ...parameters, ...images };
  const length = layoutElements(dstDims, layout);
  const { dst } = await runPlan(await testDevice(), plan, { inputs, outputs: { dst: length }, half });
  if (layout === 'nchw') return dst;
  const unpacked = unpackNhwc4(dst, dstDims);
  expectEqual(dst, packNhwc4(unpacked, dstDims), [length]);
  return unpacked;
}
