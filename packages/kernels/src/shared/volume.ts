/**
 * Windows over three spatial axes. Volumes lie dense as ONNX writes them, [batch, channels, depth, height, width]; batch,
 * extents and pads are uniform parameters, everything else of the window is compiled in.
 */
import type { AxisWindow } from './conv-geometry.ts';
import { misfit } from './misfit.ts';
import type { ParamsRecord } from './params-block.ts';

export interface VolumeWindow {
  readonly depth: AxisWindow;
  readonly height: AxisWindow;
  readonly width: AxisWindow;
}

/** @throws GpuKernelShapeError for another number of axes. */
export function volumeWindow(operator: string, axes: readonly AxisWindow[]): VolumeWindow {
  const [depth, height, width] = axes;
  if (depth !== undefined && height !== undefined && width !== undefined && axes.length === 3) {
    return { depth, height, width };
  }
  throw misfit(operator, 'rank', `${axes.length} spatial axes`, '3');
}

export function volumeTaps({ depth, height, width }: VolumeWindow): number {
  return depth.kernel * height.kernel * width.kernel;
}

/** Voxels of one image of `src`, or of `dst`. */
export function volumeExtent({ depth, height, width }: VolumeWindow, side: 'input' | 'output'): number {
  return depth[side] * height[side] * width[side];
}

/** Words every volume kernel reads. */
export function volumeParams(batch: number, { depth, height, width }: VolumeWindow): ParamsRecord {
  return {
    batch,
    ...{ in_d: depth.input, in_h: height.input, in_w: width.input },
    ...{ out_d: depth.output, out_h: height.output, out_w: width.output },
    ...{ pad_d: depth.padBegin, pad_h: height.padBegin, pad_w: width.padBegin },
  };
}

/** Constants of the window: taps, strides and dilations of each axis. */
export function volumeWindowWgsl({ depth, height, width }: VolumeWindow): string {
  return `const TAPS_D = ${depth.kernel}u;
const TAPS_H = ${height.kernel}u;
const TAPS_W = ${width.kernel}u;
const STRIDE_D = ${depth.stride}u;
const STRIDE_H = ${height.stride}u;
const STRIDE_W = ${width.stride}u;
const DILATION_D = ${depth.dilation}u;
const DILATION_H = ${height.dilation}u;
const DILATION_W = ${width.dilation}u;`;
}
