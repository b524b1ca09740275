/**
 * `@onegpu/onnx` outside of browsers, and `@onegpu/onnx/full` in them: every operator, every fusion, tuning. Its exports
 * are those of the entry for browsers, whose sessions know all that is here once this was imported.
 */
import './register.ts';

export * from './browser.ts';
