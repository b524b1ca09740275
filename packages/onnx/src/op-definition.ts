/**
 * What an operator is to a session: one definition an operator, in `ops/`. A node is checked once at load, its
 * attributes read through a typed schema; for concrete input shapes it is then inferred, evaluated on the host
 * (when every input is known there) or lowered to a dispatch plan.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Activation, Layout, NumericMode, Refusal, SumTolerance, TunableLayer } from '@onegpu/kernels';
import type { AttributeReader } from './attributes.ts';
import type { GraphNode } from './graph.ts';
import type { Tensor, TensorType } from './tensor.ts';

/** Type and extents of a value for the shapes being planned. */
export interface ValueInfo {
  readonly type: TensorType;
  readonly dims: readonly number[];
  /** The value itself where it is known on the host: constants and shape arithmetic. */
  readonly constant?: Tensor;
}

export interface NodeContext {
  readonly node: GraphNode;
  readonly opset: number;
  readonly attributes: AttributeReader;
  /** One entry an input of the node; undefined for an absent optional input. */
  readonly inputs: readonly (ValueInfo | undefined)[];
}

export interface LowerContext extends NodeContext {
  readonly outputs: readonly ValueInfo[];
  /** Layout each input will be given in, decided by `layouts` (or `nchw`). */
  readonly layouts: LayoutChoice;
  readonly capabilities: GpuCapabilities;
  readonly mode: NumericMode;
  /** Algorithm an earlier plan of this node chose (kept so that a new picture size compiles nothing), or a forced one. */
  readonly algorithm: string | undefined;
  readonly activation: readonly Activation[];
  /** Whether fusion added a residual operand; it comes as operand `residual`. */
  readonly residual: boolean;
}

export interface LayoutChoice {
  readonly inputs: readonly Layout[];
  readonly outputs: readonly Layout[];
}

/** Where an operand of a plan lives: an input or output of the node by position, or the fused residual. */
export type OperandSource =
  | { readonly input: number }
  | { readonly output: number }
  | { readonly residual: true };

export type Lowering =
  | {
      readonly kind: 'dispatch';
      readonly plan: DispatchPlan;
      /** Every operand named by the plan's bindings except its scratch and tables. */
      readonly operands: Readonly<Record<string, OperandSource>>;
      readonly refused: readonly Refusal[];
      /** Other ways to run the node, over the same operands, where there are any worth a timing. */
      readonly layer?: TunableLayer | undefined;
    }
  /** The output is the input's bytes under other dims (Reshape, Squeeze, Identity, Dropout, ...), `nchw` only. */
  | { readonly kind: 'alias'; readonly input: number };

/** What one output of a node ought to be: elements that must come out bit for bit, or sums in float64. */
export type ReferenceOutput =
  | { readonly kind: 'exact'; readonly tensor: Tensor }
  | {
      readonly kind: 'sum';
      readonly dims: readonly number[];
      readonly values: Float64Array;
      /** What the float32 bound is derived from (`sumTolerance`). */
      readonly sum: SumTolerance;
      /**
       * Largest root of the sum of the squared terms of one result: how far partial sums go although the result may be
       * near zero. Asked for only where a result is past the bound that assumes nothing cancels.
       */
      walk?(): number;
    };

export interface OperatorDefinition {
  readonly opType: string;
  readonly domain: string;
  /** First and last opset version of the default domain whose meaning this definition honours. */
  readonly opsets: readonly [number, number];
  /** Fewest and most inputs; positions that may be absent are beyond the fewest. */
  readonly arity: readonly [number, number];
  /** Names of the attributes this definition honours; a node with any other attribute is refused. */
  readonly attributes: readonly string[];
  /**
   * Reason to refuse the node at load, before any shape is known; undefined when it can run. `constants` are the
   * graph's, by value name, for inputs that decide whether the node can run.
   */
  check?(
    node: GraphNode,
    attributes: AttributeReader,
    opset: number,
    constants: ReadonlyMap<string, Tensor>,
  ): string | undefined;
  /** Types and extents of the outputs; throws GpuKernelShapeError where the shapes are wrong. */
  infer(context: NodeContext): readonly ValueInfo[];
  /** The outputs computed on the host; called only when every present input is a constant. */
  evaluate?(context: NodeContext): readonly Tensor[];
  /**
   * Layouts wanted for the given rank-3 and rank-4 float inputs. `available` says how each input lies at present
   * (constants: `nchw`). Absent: everything `nchw`.
   */
  layouts?(context: NodeContext, available: readonly Layout[]): LayoutChoice;
  /** The plan on the GPU; absent for operators that run on the host only (shape arithmetic). */
  lower?(context: LowerContext): Lowering;
}

/** Of an operator that runs on the GPU, in layouts of its own choice. */
export type GpuOperatorDefinition = OperatorDefinition &
  Required<Pick<OperatorDefinition, 'layouts' | 'lower'>>;
