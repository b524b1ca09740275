import { expect, it } from 'vitest';
import { fitCommand, fitLines } from './fit-lines.ts';

it('leaves lines that fit, rows of Markdown, frames of a stack and empty lines as they are', () => {
  const text = 'short\n\n| a | row | of | Markdown |\n    at f (file.ts:1:2)\n  two  spaces ';
  expect(fitLines(text, 14)).toBe(text);
});

it('puts what follows under the text behind a label', () => {
  expect(fitLines('memory   arenas 1 KiB, weights 2 KiB', 22)).toBe(
    'memory   arenas 1 KiB,\n         weights 2 KiB',
  );
  expect(fitLines('wall clock  1 ms unprofiled, 2 ms profiled', 29)).toBe(
    'wall clock  1 ms unprofiled,\n            2 ms profiled',
  );
  expect(fitLines('input  x  float32 [N, 3, H, W]', 24)).toBe('input  x  float32 [N, 3,\n       H, W]');
});

it('puts what follows two columns further in where there is no label', () => {
  expect(fitLines('note: one two three', 10)).toBe('note: one\n  two\n  three');
  expect(fitLines('  Fly "a": not here', 12)).toBe('  Fly "a":\n    not here');
});

it('breaks behind a comma or semicolon rather than within a clause', () => {
  expect(fitLines('host  6 nodes (Cast 3, Shape 1)', 30)).toBe('host  6 nodes (Cast 3,\n      Shape 1)');
  expect(fitLines('x, then words without an end', 20)).toBe('x, then words\n  without an end');
});

it('never breaks a word', () => {
  expect(fitLines('/a/long/path and more', 8)).toBe('/a/long/path\n  and\n  more');
  expect(fitLines('model  /a/long/path', 8)).toBe('model  /a/long/path');
});

it('breaks a command so that a shell reads it whole', () => {
  expect(fitCommand('onegpu conformance cases/a', '  ', 80)).toBe('  onegpu conformance cases/a');
  expect(fitCommand('onegpu conformance cases/a --mode fast', '  ', 24)).toBe(
    '  onegpu conformance \\\n    cases/a --mode \\\n    fast',
  );
});
