import { describe, expect, it } from 'vitest';
import { remembered } from './remembered.ts';

describe('remembered', () => {
  const asked: string[] = [];
  const sum = remembered(
    (problem: { value: number }, target: { value: number }, more: number) => {
      asked.push(`${problem.value} ${target.value} ${more}`);
      return more === 0 ? undefined : problem.value + target.value + more;
    },
    (more) => String(more),
  );

  it('computes once a problem, target and detail, whatever it finds', () => {
    const [problem, target] = [{ value: 1 }, { value: 2 }];
    expect([0, 3, 0, 3].map((more) => sum(problem, target, more))).toEqual([undefined, 6, undefined, 6]);
    expect(asked).toEqual(['1 2 0', '1 2 3']);
  });

  it('computes anew for another problem or target', () => {
    const problem = { value: 1 };
    expect(sum(problem, { value: 2 }, 1)).toBe(4);
    expect(sum(problem, { value: 3 }, 1)).toBe(5);
    expect(sum({ value: 2 }, { value: 3 }, 1)).toBe(6);
  });
});
