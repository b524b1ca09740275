/** The measured ceilings of an adapter as lines for a terminal. */
import type { Ceilings } from '@onegpu/onnx';

export function formatCeilings(ceilings: Ceilings): string {
  const { adapter, driver, copyGbps, f32Gflops, f16Gflops, dispatchUs, measuredAt } = ceilings;
  return [
    adapter,
    ...(adapter.includes(driver) ? [] : [`  driver                ${driver}`]),
    `  copy                  ${significant(copyGbps)} GB/s, bytes read and written`,
    `  float32 multiply-add  ${significant(f32Gflops)} GFLOP/s`,
    `  float16 multiply-add  ${f16Gflops === undefined ? 'no float16' : `${significant(f16Gflops)} GFLOP/s`}`,
    `  dispatch              ${significant(dispatchUs)} us, each waiting for the one before`,
    `  measured              ${measuredAt}`,
  ].join('\n');
}

/** Three digits, never in powers of ten. */
function significant(value: number): string {
  if (value >= 1000) return Number(value.toPrecision(3)).toFixed(0);
  return value.toPrecision(3);
}
