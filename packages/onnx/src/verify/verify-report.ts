/** What a verification found: every node alone, then the whole model, each against float64. */
import type { Layout, NumericMode } from '@onegpu/kernels';

export interface VerifyReport {
  readonly schema: 'onegpu-verify/1';
  readonly adapter: string;
  readonly mode: NumericMode;
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  /** Every node of the model without fusions, in topological order. */
  readonly nodes: readonly VerifiedNode[];
  /** Outputs of the whole model, fused and optimised. */
  readonly whole: readonly VerifiedOutput[];
  /** Outputs of the whole model without fusions; only where `whole` is past a bound. */
  readonly wholeUnfused?: readonly VerifiedOutput[];
  /** Name of the first node, in topological order, past its bound. */
  readonly firstPast?: string;
  /** Whether every node and every output of the whole model is within its bound. */
  readonly passed: boolean;
  /** Milliseconds spent on float64 on the host, on single nodes on the GPU (compiling included), on the whole model. */
  readonly times: { readonly referenceMs: number; readonly nodesMs: number; readonly wholeMs: number };
}

export interface VerifiedNode {
  readonly index: number;
  readonly name: string;
  readonly operator: string;
  /** `host`: constants and shape arithmetic, evaluated while loading and planning; the GPU has no part in it. */
  readonly runsOn: 'gpu' | 'host';
  /** Labels of the kernels that ran, layout conversions included; none for the host and for reshapes. */
  readonly kernels: readonly string[];
  /** Layout the node was given its inputs in: the one it gets them in inside the model. */
  readonly layout: Layout;
  /** Dims of the first output. */
  readonly dims: readonly number[];
  /** Empty for nodes on the host. */
  readonly outputs: readonly VerifiedOutput[];
  /** Error and bound of the output with the largest share; a bound of 0 means bit for bit. */
  readonly error: number;
  readonly bound: number;
  /** Largest error / bound of the outputs; Infinity where bits differ that should not. */
  readonly share: number;
  readonly passed: boolean;
}

export interface VerifiedOutput {
  readonly name: string;
  readonly dims: readonly number[];
  /** `exact`: every element bit for bit, NaN equal to NaN. `sum`: scaled error within the bound. */
  readonly check: 'exact' | 'sum';
  /** max|y - r| / scale; Infinity where one side is NaN or infinite and the other is not. */
  readonly error: number;
  /** 0 for `exact`. */
  readonly bound: number;
  /** max|r| over finite r; larger where r are sums that cancel and the error is past its bound without (`sumScale`). */
  readonly scale: number;
  /** error / bound; Infinity where elements differ that should not. */
  readonly share: number;
  readonly passed: boolean;
  /** Elements that are NaN in float64, and those that are infinite or overflow the output's type. */
  readonly nan: number;
  readonly infinite: number;
  /** The element farthest off; absent where all agree. */
  readonly worst?: {
    readonly at: readonly number[];
    readonly got: number | bigint;
    readonly expected: number | bigint;
  };
}
