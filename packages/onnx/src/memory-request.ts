/** What an execution plan asks of the memory plan: its tensors, its scratch, and what each dispatch reads and writes. */
import { elementBytes } from '@onegpu/core';
import type { ExecutionPlan, ExecutionStep } from './execution-plan.ts';
import type { MemoryRequest, MemoryStep, PlannedTensor } from './memory-plan.ts';
import type { StoredTensor } from './stored-tensors.ts';

/** @param alignment of offsets, bytes: `minStorageBufferOffsetAlignment` */
export function memoryRequest(execution: ExecutionPlan, alignment: number): MemoryRequest {
  const inputs = new Set([...execution.inputs.values()].map((tensor) => tensor.id));
  const outputs = new Set([...execution.outputs.values()].map((tensor) => tensor.id));
  const scratch = execution.steps.flatMap((step, index) =>
    step.plan.scratch.map(({ operand, bytes }) => scratchTensor(index, operand, bytes)),
  );
  const tensors = [...execution.tensors, ...scratch].map((tensor): PlannedTensor => {
    const bytes = tensor.elements * elementBytes(tensor.type);
    const pinned = pinnedBy(inputs.has(tensor.id), outputs.has(tensor.id));
    return pinned === undefined ? { id: tensor.id, bytes } : { id: tensor.id, bytes, pinned };
  });
  return { tensors, steps: execution.steps.map(memoryStep), alignment };
}

/** Scratch is a tensor that lives for one step. */
export function scratchTensor(step: number, operand: string, bytes: number): StoredTensor {
  return { id: `${operand}@${step}`, type: 'uint32', elements: Math.ceil(bytes / 4), layout: 'nchw' };
}

function pinnedBy(isInput: boolean, isOutput: boolean): PlannedTensor['pinned'] {
  if (isInput) return isOutput ? 'always' : 'input';
  return isOutput ? 'output' : undefined;
}

function memoryStep(step: ExecutionStep, index: number): MemoryStep {
  const idOf = (operand: string): readonly string[] => {
    const bound = step.operands[operand];
    if (bound !== undefined) return 'tensor' in bound ? [bound.tensor.id] : [];
    const isScratch = step.plan.scratch.some((scratch) => scratch.operand === operand);
    return isScratch ? [scratchTensor(index, operand, 0).id] : [];
  };
  const passes = step.plan.passes.map(({ bindings }) => ({
    reads: bindings
      .filter((binding) => binding.access === 'read')
      .flatMap((binding) => idOf(binding.operand)),
    writes: bindings
      .filter((binding) => binding.access === 'read_write')
      .flatMap((binding) => idOf(binding.operand)),
  }));
  return { passes };
}
