export * from './tensor.ts';
