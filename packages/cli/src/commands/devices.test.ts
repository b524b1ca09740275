import { expect, it } from 'vitest';
import { formatEntry } from './devices.ts';

it('tells what helps where there is no adapter, and not twice that there is none', () => {
  const reason = 'GpuDevice: there is no hardware adapter. Install a driver.';
  expect(formatEntry({ kind: 'hardware', available: false, reason })).toBe(
    'hardware: none. Install a driver.',
  );
  const got = 'GpuDevice: there is no software adapter (got darwin-arm64, expected linux-x64)';
  expect(formatEntry({ kind: 'software', available: false, reason: got })).toBe(
    'software: none (got darwin-arm64, expected linux-x64)',
  );
});

it('gives any other reason whole', () => {
  const reason = 'webgpu: the WebGPU bindings for Node.js do not load on this machine';
  expect(formatEntry({ kind: 'software', available: false, reason })).toBe(`software: none\n  ${reason}`);
});
