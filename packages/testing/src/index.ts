export * from './compare.ts';
export * from './compile-plan.ts';
export * from './device.ts';
export * from './fill.ts';
export * from './run-plan.ts';
export * from './tolerance.ts';
