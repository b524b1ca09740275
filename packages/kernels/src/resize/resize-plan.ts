/**
 * A resize that is made once and encoded many times: source positions and weights are computed on the host in float64
 * for every mode, uploaded with the compiled kernel, and every encoding afterwards only names the memory to work on.
 *
 *   const plan = await ResizePlan.create(device, { dims: [1, 3, 480, 640], sizes: [1, 3, 224, 224] });
 *   plan.encode(encoder, { src, dst });
 */
import {
  type DispatchPlan,
  DispatchProgram,
  type GpuBuffer,
  type GpuDevice,
  GpuKernelShapeError,
  rangeBytes,
  storeNarrow,
} from '@onegpu/core';
import type { KernelOptions } from '../shared/algorithm.ts';
import { layoutElements } from '../shared/layout.ts';
import type { ResizeElement } from './element.ts';
import { type AxisTaps, axisTaps } from './plan.ts';
import { makeResizeProblem, type ResizeProblem, type ResizeRequest } from './problem.ts';
import { planResize } from './select.ts';

/** Type of the elements of `src` and `dst`. */
export type ResizePlanType = ResizeElement | 'float16';

export interface ResizePlanRequest extends Omit<ResizeRequest, 'element'> {
  /** Default `float32`. */
  readonly type?: ResizePlanType;
  /** Default: mode `deterministic`. */
  readonly options?: KernelOptions;
}

/** Memory of one encoding; `dst` lies in another buffer than the others. */
export interface ResizeOperands {
  /** `srcElements` elements in the request's layout. */
  readonly src: GpuBuffer;
  /** `dstElements` elements in the request's layout. */
  readonly dst: GpuBuffer;
  /** `dstElements` elements, where the epilogue adds a residual. */
  readonly residual?: GpuBuffer;
}

export class ResizePlan {
  readonly problem: ResizeProblem;
  readonly type: ResizePlanType;
  /** Name of the kernel that was chosen. */
  readonly algorithm: string;
  readonly #plan: DispatchPlan;
  readonly #program: DispatchProgram;
  readonly #alignment: number;

  private constructor({ problem, type, plan }: PlannedResize, program: DispatchProgram, alignment: number) {
    this.problem = problem;
    this.type = type;
    this.algorithm = plan.algorithm;
    this.#plan = plan;
    this.#program = program;
    this.#alignment = alignment;
  }

  /**
   * Computes the tables, compiles the kernel and uploads what it needs.
   * @throws GpuKernelShapeError for a request that no kernel takes, GpuShaderError, GpuLimitError,
   * GpuOutOfMemoryError
   */
  static async create(device: GpuDevice, request: ResizePlanRequest): Promise<ResizePlan> {
    const planned = planOf(device, request);
    const program = await DispatchProgram.prepare(device, [planned.plan]);
    return new ResizePlan(planned, program, device.capabilities.limits.minStorageBufferOffsetAlignment);
  }

  /** Extents of the result. */
  get dstDims(): readonly number[] {
    return this.problem.dstDims;
  }

  /** Elements of `src` in the layout of the request, padding included. */
  get srcElements(): number {
    return layoutElements(this.problem.srcDims, this.problem.layout);
  }

  /** Elements of `dst` in the layout of the request, padding included. */
  get dstElements(): number {
    return layoutElements(this.problem.dstDims, this.problem.layout);
  }

  /** Source positions and float64 weights of every output position, an entry an axis of the tensor. */
  taps(): readonly AxisTaps[] {
    return this.problem.axes.map((axis) => axisTaps(axis, this.problem.sampling));
  }

  /**
   * Records the resize; any number of times, over any operands of the right type and size. Nothing is uploaded or
   * compiled.
   * @throws GpuKernelShapeError for operands of another type or size, misaligned ones, and a `dst` in the buffer of another
   */
  encode(encoder: GPUCommandEncoder, operands: ResizeOperands): void {
    const { src, dst, residual } = operands;
    this.#check('src', src, this.srcElements);
    this.#check('dst', dst, this.dstElements);
    if (this.problem.epilogue.residual) this.#check('residual', residual, this.dstElements);
    refuseOverlap('src', src, dst);
    if (residual !== undefined) refuseOverlap('residual', residual, dst);
    const bound = residual === undefined ? { src, dst } : { src, dst, residual };
    this.#program.encodeOver(encoder, [{ plan: this.#plan, operands: bound }]);
  }

  /** Gives the tables back; encodings already submitted still run. */
  destroy(): void {
    this.#program.destroy();
  }

  #check(field: string, range: GpuBuffer | undefined, elements: number): void {
    const valid =
      range !== undefined &&
      range.type === this.type &&
      range.length === elements &&
      range.byteOffset % this.#alignment === 0;
    if (valid) return;
    throw new GpuKernelShapeError('the operand does not fit the plan', {
      subject: 'Resize',
      field,
      got: range === undefined ? 'none' : `${range.length} ${range.type} at byte ${range.byteOffset}`,
      expected: `${elements} ${this.type} at a multiple of ${this.#alignment} bytes`,
    });
  }
}

interface PlannedResize {
  readonly problem: ResizeProblem;
  readonly type: ResizePlanType;
  readonly plan: DispatchPlan;
}

function planOf(device: GpuDevice, request: ResizePlanRequest): PlannedResize {
  const { type = 'float32', options = { mode: 'deterministic' }, ...rest } = request;
  const problem = makeResizeProblem({ ...rest, element: type === 'float16' ? 'float32' : type });
  const { capabilities } = device;
  const { plan } = planResize(problem, capabilities, options);
  return { problem, type, plan: storeNarrow(plan, { src: type, dst: type, residual: type }, capabilities) };
}

/** One buffer cannot be bound for reading and for writing in one dispatch, even where the ranges lie apart. */
function refuseOverlap(field: string, source: GpuBuffer, dst: GpuBuffer): void {
  if (source.buffer !== dst.buffer) return;
  const end = (range: GpuBuffer): number => range.byteOffset + rangeBytes(range);
  const apart = end(source) <= dst.byteOffset || end(dst) <= source.byteOffset;
  throw new GpuKernelShapeError('source and result share a buffer', {
    subject: 'Resize',
    field,
    got: apart ? 'two ranges of one buffer' : 'ranges that overlap',
    expected: 'two buffers',
  });
}
