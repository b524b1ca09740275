export * from './capabilities.ts';
export * from './dispatch-plan.ts';
export * from './dtype.ts';
export * from './errors.ts';
