/** Plans of the one `map` kernel; the merged axes make same-shape and scalar cases short. */
import type { DispatchPlan, GpuCapabilities, PassBinding } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { broadcastParams } from '../shared/broadcast.ts';
import { elementwiseWorkgroups, itemsPerInvocation, paramsWords } from '../shared/elementwise.ts';
import { elementCount } from '../shared/layout.ts';
import { mapWgsl } from './broadcast.wgsl.ts';
import { type MapElement, mapElementBytes } from './element.ts';
import type { MapProblem } from './problem.ts';

export const MAP_BROADCAST: Algorithm<MapProblem> = {
  name: 'broadcast',
  impossible: () => undefined,
  reject: () => undefined,
  plan,
};

function plan(problem: MapProblem, target: GpuCapabilities): DispatchPlan {
  const { signature, axes, elements, operands } = problem;
  const label = labelOf(problem);
  const bindings = [
    ...signature.operands.map((element, index) => binding(`src${index}`, 'read', element)),
    binding('dst', 'read_write', signature.result),
  ];
  const wgsl = mapWgsl({ function: problem.function, signature, axes, items: itemsPerInvocation(target) });
  const read = operands.reduce(
    (sum, dims, index) => sum + elementCount(dims) * mapElementBytes(signature.operands[index] ?? 'u32'),
    0,
  );
  return {
    operator: 'map',
    algorithm: 'broadcast',
    label,
    passes: [
      {
        label,
        wgsl,
        bindings,
        params: paramsWords(elements, broadcastParams(axes)),
        workgroups: elementwiseWorkgroups(elements, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
    cost: { flops: 0, bytes: read + elements * mapElementBytes(signature.result) },
  };
}

/** Floats are bound as their float32 bits, whatever their storage. */
function binding(operand: string, access: PassBinding['access'], element: MapElement): PassBinding {
  return element === 'f32' ? { operand, access, bits: 'float32' } : { operand, access };
}

function labelOf({ function: name, signature }: MapProblem): string {
  const element = signature.operands.at(-1);
  return `map/broadcast/${element}/${name === 'convert' ? `to-${signature.result}` : name}`;
}
