import { defineConfig } from 'vitest/config';

// GPU tests run in forks: Vulkan reads its driver list from the process environment, which a worker thread cannot set.
const conditions = ['source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'examples/*/{src,test}/**/*.test.ts',
      'test-models/**/*.test.ts',
      'scripts/*.test.mjs',
    ],
    pool: 'forks',
    maxWorkers: 2,
    // Starting a process and loading modules anew takes half a second a file.
    isolate: false,
    // Tests of parts of @onegpu/onnx meet what its entry for Node registers.
    setupFiles: ['packages/onnx/src/register.ts', 'packages/testing/src/each-file.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
