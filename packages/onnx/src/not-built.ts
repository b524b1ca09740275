/** Legal in ONNX, but not built here: what an operator throws once it sees types and ranks. */
import { GpuKernelShapeError } from '@onegpu/core';

/** Behind a node's name it becomes an UnsupportedOperatorError, as refusals at load are. */
export class NotBuiltError extends GpuKernelShapeError {}
