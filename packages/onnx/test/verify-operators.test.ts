/**
 * Every operator that runs on the GPU, verified as a model of one node: its reference must know the operator as its
 * kernels do. An operator without a row fails.
 */
import { testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { allOperators } from '../src/ops/registry.ts';
import { verifyModel } from '../src/verify/verify-model.ts';
import { ELEMENT_WISE } from './operator-rows/element-wise.ts';
import { MOVEMENT } from './operator-rows/movement.ts';
import { modelOf } from './operator-rows/operator-row.ts';
import { QUANTIZED } from './operator-rows/quantized.ts';
import { SUMS } from './operator-rows/sums.ts';
import { WINDOWS } from './operator-rows/windows.ts';

const ROWS = [...ELEMENT_WISE, ...MOVEMENT, ...WINDOWS, ...SUMS, ...QUANTIZED];

it('every operator of ONNX that runs on the GPU has a row', () => {
  const rows = new Set(ROWS.map((row) => row.op));
  const missing = allOperators().filter(
    ({ domain, opType, lower }) => lower && domain === '' && !rows.has(opType),
  );
  expect(missing.map((operator) => operator.opType)).toEqual([]);
});

describe('verified alone', () => {
  it.each(ROWS.map((row, index) => ({ name: `${row.op} ${index}`, row })))('$name', async ({ row }) => {
    const { model, feeds } = modelOf(row);
    const { report } = await verifyModel(model, feeds, { device: await testDevice() });
    const [node] = report.nodes;
    expect(node?.runsOn).toBe('gpu');
    expect(node?.outputs).toHaveLength(row.outputs ?? 1);
    expect(report.nodes.flatMap((entry) => entry.outputs.filter((output) => !output.passed))).toEqual([]);
    expect(report.passed).toBe(true);
  });
});
