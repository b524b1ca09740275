export * from './environment.ts';
export * from './model-source.ts';
export * from './scaled-error.ts';
export * from './statistics.ts';
