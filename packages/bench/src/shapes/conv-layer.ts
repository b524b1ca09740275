/** One convolution of a network as a row of a table: square pictures and windows, shared by tests and benchmarks. */
import type { ConvRequest, Epilogue, Layout } from '@onegpu/kernels';

export interface ConvLayer {
  /** Where it first stands in the network. */
  readonly name: string;
  readonly ic: number;
  /** Height and width of its input. */
  readonly size: number;
  readonly oc: number;
  /** Taps in each direction; the pads are (kernel - 1) / 2 on every side, none for transposed ones. */
  readonly kernel: number;
  readonly stride: number;
  /** 1 when absent. */
  readonly groups?: number;
  /** How many convolutions of the network have exactly these extents. */
  readonly count: number;
  /** A ConvTranspose. */
  readonly transposed?: boolean;
}

/** `resnet50/layer1.0.conv2/64x56-64/3x3s1`: row name in tables. */
export function layerLabel(network: string, layer: ConvLayer): string {
  const { name, ic, size, oc, kernel, stride, groups = 1 } = layer;
  const window = `${kernel}x${kernel}s${stride}${groups > 1 ? `g${groups}` : ''}`;
  return `${network}/${name}/${ic}x${size}-${oc}/${window}`;
}

/** Multiply-adds of one image. */
export function layerMultiplyAdds(layer: ConvLayer): number {
  const { ic, size, oc, kernel, stride, groups = 1, transposed = false } = layer;
  const pixels = transposed ? size : Math.ceil(size / stride);
  return pixels * pixels * oc * (ic / groups) * kernel * kernel;
}

export interface LayerVariant {
  readonly batch: number;
  readonly layout: Layout;
  readonly epilogue: Epilogue;
}

/** The request for `makeConvProblem`; for layers that are not transposed. */
export function layerRequest(layer: ConvLayer, { batch, layout, epilogue }: LayerVariant): ConvRequest {
  const { ic, size, oc, kernel, stride, groups = 1 } = layer;
  const pad = (kernel - 1) / 2;
  return {
    src: [batch, ic, size, size],
    weights: [oc, ic / groups, kernel, kernel],
    groups,
    pads: [pad, pad, pad, pad],
    strides: [stride, stride],
    ...{ layout, epilogue, weightsConstant: true },
  };
}
