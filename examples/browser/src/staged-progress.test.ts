/** Bars that only move forward. */
import { expect, it } from 'vitest';
import { StagedProgress } from './staged-progress.ts';

const STEPS = [
  { words: 'Reading', stages: ['read'], share: 0.5 },
  { words: 'Preparing', stages: ['compile', 'upload'], share: 0.3 },
  { words: 'Running', stages: ['run'], share: 0.2 },
];

it('adds the shares up, and never moves back', () => {
  const progress = new StagedProgress(STEPS);
  const parts = [
    progress.tell('read', 0, 0),
    progress.tell('read', 5, 10),
    progress.tell('upload', 1, 2),
    progress.tell('compile', 1, 4),
    progress.tell('upload', 2, 2),
    progress.tell('read', 1, 10),
    progress.tell('compile', 4, 4),
    progress.tell('run', 0, 0),
  ].map(({ part }) => part);
  expect(parts[0]).toBeUndefined();
  [0.25, 0.575, 0.6125, 0.6875, 0.6875, 0.8, 0.8].forEach((part, index) => {
    expect(parts[index + 1]).toBeCloseTo(part, 9);
  });
});

it('begins at nothing where the first steps were done before', () => {
  const progress = new StagedProgress(STEPS);
  expect(progress.tell('compile', 0, 4)).toEqual({ words: 'Preparing', part: 0 });
  expect(progress.tell('compile', 4, 4).part).toBeCloseTo(0.3, 9);
  expect(new StagedProgress(STEPS).tell('run', 0, 0).part).toBeUndefined();
});
