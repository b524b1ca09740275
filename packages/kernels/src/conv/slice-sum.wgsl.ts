/**
 * How the slices of a workgroup add up: every slice leaves its registers in the memory of the weights, then each
 * register has one slice that reads all of them and adds in the order of the slices. So the adding, and the storing
 * after it, is shared by all invocations, and the order is fixed.
 */
import { type GemmTile, sliceInvocations } from './gemm-tile.ts';

/** The slice that finishes a register. */
export function ownerOf({ slices, cell }: GemmTile, row: number, column: number): number {
  return (row * cell.columns + column) % slices;
}

/** WGSL behind the last barrier of the sums; uses `slice`, `lane`, `b_tile` and leaves `sum<row>_<column>` with its owner. */
export function sliceSumWgsl(tile: GemmTile): string {
  const { tileN, tileK, cell } = tile;
  if (tile.slices === 1) return '';
  const registers = Array.from({ length: cell.rows * cell.columns }, (_, index) => index);
  const room = (tileK * tileN) / 4 / sliceInvocations(tile);
  const rounds = Array.from({ length: Math.ceil(registers.length / room) }, (_, round) =>
    registers.slice(round * room, (round + 1) * room),
  );
  return rounds.map((round) => roundWgsl(tile, round)).join('\n  workgroupBarrier();\n');
}

function roundWgsl(tile: GemmTile, registers: readonly number[]): string {
  const { slices, cell } = tile;
  const invocations = sliceInvocations(tile);
  const name = (register: number): string =>
    `sum${Math.floor(register / cell.columns)}_${register % cell.columns}`;
  const place = (slice: number | 'slice', at: number): string =>
    `b_tile[${slice}][(lane + ${at * invocations}u) / N_QUADS][(lane + ${at * invocations}u) % N_QUADS]`;
  const leave = registers.map((register, at) => `  ${place('slice', at)} = ${name(register)};`);
  const add = Array.from({ length: slices }, (_, owner) => {
    const owned = registers.flatMap((register, at) =>
      register % slices === owner
        ? [`    ${name(register)} = ${sumOf(slices, (slice) => place(slice, at))};`]
        : [],
    );
    return owned.length === 0 ? '' : `  if (slice == ${owner}u) {\n${owned.join('\n')}\n  }`;
  });
  return [...leave, '  workgroupBarrier();', ...add.filter((text) => text !== '')].join('\n');
}

function sumOf(slices: number, term: (slice: number) => string): string {
  return Array.from({ length: slices }, (_, slice) => term(slice)).join(' + ');
}
