/**
 * A layer of an execution plan as tuning sees it: the kernels' layer with its element types, its plans over operands as
 * they are stored, and stamps of the kernels' texts. A choice is kept with the stamps of what was tried, so that a
 * changed kernel makes void what was measured with the one before it, and nothing else.
 */
import {
  type DispatchPlan,
  type GpuCapabilities,
  type GpuElementType,
  OneGpuError,
  storeNarrow,
} from '@onegpu/core';
import type { LayerChoice, TunableLayer } from '@onegpu/kernels';
import { TextHash } from './text-hash.ts';

export interface ExecutionLayer {
  /** Equal for equal work: `TunableLayer.key` and the element types of the operands. */
  readonly key: string;
  /** What the rules choose comes first. */
  choices(): readonly LayerChoice[];
  /** Over operands as they are stored. */
  plan(choice: LayerChoice): DispatchPlan;
  /** Of the names of all choices and the WGSL of these ones' kernels; 16 hexadecimal digits. */
  stamp(texts: readonly LayerChoice[]): string;
}

export function executionLayer(
  layer: TunableLayer,
  types: Readonly<Record<string, GpuElementType>>,
  target: GpuCapabilities,
): ExecutionLayer {
  const plan = (choice: LayerChoice): DispatchPlan => storeNarrow(layer.plan(choice), types, target);
  const distinct = [...new Set(Object.values(types))].sort().join('+');
  return {
    get key() {
      return `${layer.key} type=${distinct}`;
    },
    choices: () => layer.choices(),
    plan,
    stamp(texts) {
      const hash = new TextHash();
      for (const choice of layer.choices()) hash.add(choiceName(choice));
      for (const choice of texts) addTexts(hash, () => plan(choice));
      return hash.digest();
    },
  };
}

function addTexts(hash: TextHash, plan: () => DispatchPlan): void {
  try {
    for (const { wgsl } of plan().passes) hash.add(wgsl);
  } catch (error) {
    // A choice that cannot be planned here is tried by nobody.
    if (!(error instanceof OneGpuError)) throw error;
  }
}

/** `implicit-gemm 64x64x16/8x4`, `direct`. */
export function choiceName({ algorithm, configuration }: LayerChoice): string {
  return configuration === undefined ? algorithm : `${algorithm} ${configuration}`;
}

export function sameChoice(a: LayerChoice, b: LayerChoice): boolean {
  return a.algorithm === b.algorithm && a.configuration === b.configuration;
}
