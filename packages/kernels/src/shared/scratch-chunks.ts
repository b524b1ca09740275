/**
 * How work is cut into chunks that fit the scratch there is. A unit (an output pixel, an image) takes the same scratch
 * wherever the cuts are, and its sums do not depend on them.
 */
import { GpuKernelShapeError } from '@onegpu/core';

export interface ChunkRequest {
  /** Operator and algorithm, for the error. */
  readonly label: string;
  readonly units: number;
  readonly unitBytes: number;
  /** What `KernelOptions.scratchBytes` says. */
  readonly given: number | undefined;
  /** Most bytes of one chunk, whatever was given; one unit may exceed it. */
  readonly most: number;
}

export interface Chunks {
  /** Units of every chunk but the last, at least 1. */
  readonly size: number;
  /** Scratch of one chunk. */
  readonly bytes: number;
}

/** @throws GpuKernelShapeError where not even one unit fits what was given. */
export function scratchChunks({ label, units, unitBytes, given, most }: ChunkRequest): Chunks {
  if (given !== undefined && given < unitBytes) {
    throw new GpuKernelShapeError('the scratch is too small', {
      subject: label,
      field: 'scratchBytes',
      got: `${given} bytes`,
      expected: `at least ${unitBytes}`,
      remedy: 'Give more, or name another algorithm.',
    });
  }
  const room = Math.floor(Math.min(given ?? most, most) / Math.max(unitBytes, 1));
  const size = Math.min(Math.max(1, room), Math.max(units, 1));
  return { size, bytes: size * unitBytes };
}

/** First unit and number of units of each chunk; none for no units. */
export function chunkRanges(units: number, size: number): readonly { begin: number; count: number }[] {
  return Array.from({ length: Math.ceil(units / size) }, (_, index) => ({
    begin: index * size,
    count: Math.min(size, units - index * size),
  }));
}
