/** Every node of a model against float64: `@onegpu/onnx/verify`, apart from what runs models. */
export { CASE_FILE, type CaseBound, type CaseFacts, type VerifyCase } from './verify-case.ts';
export { type Verification, type VerifyOptions, verifyModel } from './verify-model.ts';
export type { VerifiedNode, VerifiedOutput, VerifyReport } from './verify-report.ts';
