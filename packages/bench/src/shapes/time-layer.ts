/** Time of one convolution layer on a device, operands filled with zeros already on the GPU. */
import { DispatchProgram, type GpuBuffer, type GpuDevice } from '@onegpu/core';
import { type ConvProblem, convDstElements, layoutElements, selectConv } from '@onegpu/kernels';

export interface LayerTime {
  readonly algorithm: string;
  /** Milliseconds of one dispatch: the best of `rounds` submits of `repeats` each. */
  readonly milliseconds: number;
  readonly gigaflops: number;
}

export interface LayerTiming {
  readonly rounds: number;
  readonly repeats: number;
}

/** @throws GpuShaderError, GpuOutOfMemoryError as the device does. */
export async function timeLayer(
  device: GpuDevice,
  problem: ConvProblem,
  { rounds, repeats }: LayerTiming,
): Promise<LayerTime> {
  const { plan, algorithm } = selectConv(problem, device.capabilities, { mode: 'fast' });
  const { batch, ic, ih, iw, oc, kh, kw, groups, layout } = problem;
  const elements: Record<string, number> = {
    src: layoutElements([batch, ic, ih, iw], layout),
    weights: (oc * ic * kh * kw) / groups,
    bias: oc,
    residual: convDstElements(problem),
    dst: convDstElements(problem),
  };
  for (const { operand, pack } of plan.packing) {
    elements[operand] = pack(new Float32Array(elements[operand] ?? 0)).length;
  }
  for (const { operand, bytes } of plan.scratch) elements[operand] = bytes / 4;
  const operands: Record<string, GpuBuffer> = {};
  for (const [operand, length] of Object.entries(elements)) {
    const usage = GPUBufferUsage.STORAGE;
    const buffer = await device.createBuffer({ label: operand, size: 4 * length, usage });
    operands[operand] = { buffer, type: 'float32', byteOffset: 0, length };
  }
  const program = await DispatchProgram.create(device, [{ plan, operands }]);
  try {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await submit(device, program, repeats));
    const milliseconds = Math.min(...times) / repeats;
    return { algorithm, milliseconds, gigaflops: plan.cost.flops / milliseconds / 1e6 };
  } finally {
    program.destroy();
    for (const { buffer } of Object.values(operands)) device.destroyBuffer(buffer);
  }
}

async function submit(device: GpuDevice, program: DispatchProgram, repeats: number): Promise<number> {
  const encoder = device.raw.createCommandEncoder();
  for (let repeat = 0; repeat < repeats; repeat++) program.encode(encoder);
  const commands = encoder.finish();
  const begin = performance.now();
  device.raw.queue.submit([commands]);
  await device.raw.queue.onSubmittedWorkDone();
  return performance.now() - begin;
}
