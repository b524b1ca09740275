/** `direct`: takes every problem, on every adapter. */
import { foldWorkgroups } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { layoutElements } from '../shared/layout.ts';
import { directWgsl } from './direct.wgsl.ts';
import type { ConvTransposeProblem } from './problem.ts';
import {
  convTransposeCost,
  convTransposeLabel,
  INVOCATIONS,
  sameLayoutRefusal,
  windowParams,
} from './spec.ts';

export const direct: Algorithm<ConvTransposeProblem> = {
  name: 'direct',
  impossible: sameLayoutRefusal,
  reject: () => undefined,
  plan(problem, target) {
    const { epilogue, layout, dstDims } = problem;
    const label = convTransposeLabel(problem, 'direct', '1x1');
    const stored = layoutElements(dstDims, layout);
    return {
      operator: 'conv-transpose',
      algorithm: 'direct',
      label,
      passes: [
        {
          label,
          wgsl: directWgsl({ window: problem, epilogue, layout }),
          bindings: [
            { operand: 'src', access: 'read' },
            { operand: 'weights', access: 'read' },
            { operand: 'dst', access: 'read_write' },
            ...spliceEpilogue(epilogue, 'f32', 3).bindings,
          ],
          params: windowParams(problem),
          workgroups: foldWorkgroups(
            Math.ceil(stored / INVOCATIONS),
            target.limits.maxComputeWorkgroupsPerDimension,
          ),
        },
      ],
      scratch: [],
      tables: spliceEpilogue(epilogue, 'f32', 3).tables,
      packing: [],
      cost: convTransposeCost(problem),
    };
  },
};
