/** Algorithm `direct` of both directions: every element on its own. */
import type { DispatchPlan, GpuCapabilities, PassBinding } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { elementwiseWorkgroups, paramsWords } from '../shared/elementwise.ts';
import { storedCount, storedWorkgroups, storeWidth } from '../shared/four-a-word.ts';
import { layoutElements } from '../shared/layout.ts';
import { dequantizeWgsl } from './dequantize.wgsl.ts';
import type { DequantizeProblem, QuantizeProblem } from './problem.ts';
import { quantizeWgsl } from './quantize.wgsl.ts';
import { scaleWords } from './scale-map.ts';

export const DIRECT_QUANTIZE: Algorithm<QuantizeProblem> = {
  name: 'direct',
  impossible: () => undefined,
  reject: () => undefined,
  plan: planQuantizeDirect,
};

export const DIRECT_DEQUANTIZE: Algorithm<DequantizeProblem> = {
  name: 'direct',
  impossible: () => undefined,
  reject: () => undefined,
  plan: planDequantizeDirect,
};

function planQuantizeDirect(problem: QuantizeProblem, target: GpuCapabilities): DispatchPlan {
  const { src, dst, zeroPoint, precision, map } = problem;
  const width = storeWidth(dst);
  const total = layoutElements(problem.dims, problem.layout);
  const label = `quantize/direct/${src === 'float' ? 'f32' : 'i32'}-${shortName(dst)}/${map.kind}/${problem.layout}`;
  return {
    ...base('quantize', label, total),
    passes: [
      {
        label,
        wgsl: quantizeWgsl({ src, dst, width, zeroPoint, precision }, target),
        bindings: bindings(zeroPoint, src === 'float'),
        params: paramsWords(storedCount(total, width), [total, ...scaleWords(map)]),
        workgroups: storedWorkgroups(total, width, target),
      },
    ],
  };
}

function planDequantizeDirect(problem: DequantizeProblem, target: GpuCapabilities): DispatchPlan {
  const { src, zeroPoint, map } = problem;
  const total = layoutElements(problem.dims, problem.layout);
  const label = `dequantize/direct/${shortName(src)}-f32/${map.kind}/${problem.layout}`;
  return {
    ...base('dequantize', label, total),
    passes: [
      {
        label,
        wgsl: dequantizeWgsl(zeroPoint, target),
        bindings: bindings(zeroPoint, false),
        params: paramsWords(total, scaleWords(map)),
        workgroups: elementwiseWorkgroups(total, target),
      },
    ],
  };
}

function bindings(zeroPoint: boolean, bits: boolean): readonly PassBinding[] {
  const float = bits ? ({ bits: 'float32' } as const) : {};
  return [
    { operand: 'src', access: 'read', ...float },
    { operand: 'scale', access: 'read', ...(bits ? float : {}) },
    ...(zeroPoint ? [{ operand: 'zeroPoint', access: 'read' } as const] : []),
    { operand: 'dst', access: 'read_write' },
  ];
}

function base(operator: string, label: string, total: number): Omit<DispatchPlan, 'passes'> {
  const cost = { flops: 2 * total, bytes: 5 * total };
  return { operator, algorithm: 'direct', label, scratch: [], tables: [], packing: [], cost };
}

/** `i8`, `u16`, as labels write types. */
function shortName(type: string): string {
  return type.replace('uint', 'u').replace('int', 'i');
}
